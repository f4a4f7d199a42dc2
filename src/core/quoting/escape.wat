;; Escapes text for JSON, a block of 16 bytes at a time. `npm run wasm` makes escape-wasm.ts of it.
;;
;; Both functions read from $at to $end, write from $out on, and return where they ended. They may write up to 16 bytes
;; beyond that, which mean nothing. Whatever a block holds is done without a branch, unless it needs more than one
;; letter behind a backslash: then its characters are looked at one by one.
(module
  (memory (export "memory") 8)

  ;; What follows the backslash, for the first 16 characters. Zero: its number.
  (data (i32.const 0) "\00\00\00\00\00\00\00\00btn\00fr\00\00")
  (data (i32.const 16) "0123456789abcdef")

  ;; From 1024 on: where 8 lanes of one byte go, for each of the 256 sets of those that get a backslash (lane 8) before
  ;; them. From 5120 on: the same for 4 lanes of two bytes, and 16 sets. quote-text.ts writes them there.

  ;; Characters of one byte.
  (func (export "escape8") (param $at i32) (param $end i32) (param $out i32) (result i32)
    (local $block v128) (local $control v128) (local $letters v128) (local $found i32) (local $slowly i32)
    (loop $next
      (if
        (i32.and
          (i32.ge_u (local.get $at) (local.get $slowly))
          (i32.le_u (i32.add (local.get $at) (i32.const 16)) (local.get $end)))
        (then
          (local.set $block (v128.load (local.get $at)))
          (local.set $control (i8x16.lt_u (local.get $block) (i8x16.splat (i32.const 0x20))))
          (local.set $found
            (i8x16.bitmask
              (v128.or
                (local.get $control)
                (v128.or
                  (i8x16.eq (local.get $block) (i8x16.splat (i32.const 0x22)))
                  (i8x16.eq (local.get $block) (i8x16.splat (i32.const 0x5c)))))))
          (if (i32.eqz (local.get $found))
            (then
              (v128.store (local.get $out) (local.get $block))
              (local.set $at (i32.add (local.get $at) (i32.const 16)))
              (local.set $out (i32.add (local.get $out) (i32.const 16)))
              (br $next)))
          (local.set $letters (i8x16.swizzle (v128.load (i32.const 0)) (local.get $block)))
          (if
            (i32.eqz
              (i8x16.bitmask
                (v128.and
                  (local.get $control)
                  (i8x16.eq (local.get $letters) (v128.const i64x2 0 0)))))
            (then
              (local.set $block
                (v128.bitselect (local.get $letters) (local.get $block) (local.get $control)))
              (v128.store
                (local.get $out)
                (i8x16.swizzle
                  (i8x16.shuffle 0 1 2 3 4 5 6 7 16 16 16 16 16 16 16 16
                    (local.get $block) (i8x16.splat (i32.const 0x5c)))
                  (v128.load offset=1024 (i32.shl (i32.and (local.get $found) (i32.const 0xff)) (i32.const 4)))))
              (local.set $out
                (i32.add (local.get $out) (i32.add (i32.const 8) (i32.popcnt (i32.and (local.get $found) (i32.const 0xff))))))
              (v128.store
                (local.get $out)
                (i8x16.swizzle
                  (i8x16.shuffle 8 9 10 11 12 13 14 15 16 16 16 16 16 16 16 16
                    (local.get $block) (i8x16.splat (i32.const 0x5c)))
                  (v128.load offset=1024 (i32.shl (i32.shr_u (local.get $found) (i32.const 8)) (i32.const 4)))))
              (local.set $out
                (i32.add (local.get $out) (i32.add (i32.const 8) (i32.popcnt (i32.shr_u (local.get $found) (i32.const 8))))))
              (local.set $at (i32.add (local.get $at) (i32.const 16)))
              (br $next)))
          (local.set $slowly (i32.add (local.get $at) (i32.const 16)))))
      ;; The end of the text, or a block of which one character after the other is done.
      (if (i32.lt_u (local.get $at) (local.get $end))
        (then
          (local.set $out (call $one8 (i32.load8_u (local.get $at)) (local.get $out)))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $next))))
    (local.get $out))

  ;; Writes one character.
  (func $one8 (param $character i32) (param $out i32) (result i32)
    (local $letter i32)
    (if (i32.eqz (call $isEscaped (local.get $character)))
      (then
        (i32.store8 (local.get $out) (local.get $character))
        (return (i32.add (local.get $out) (i32.const 1)))))
    (i32.store8 (local.get $out) (i32.const 0x5c))
    (local.set $letter (call $letterOf (local.get $character)))
    (if (local.get $letter)
      (then
        (i32.store8 offset=1 (local.get $out) (local.get $letter))
        (return (i32.add (local.get $out) (i32.const 2)))))
    ;; u00
    (i32.store offset=1 (local.get $out) (i32.const 0x303075))
    (i32.store8 offset=4 (local.get $out) (call $digit (local.get $character) (i32.const 4)))
    (i32.store8 offset=5 (local.get $out) (call $digit (local.get $character) (i32.const 0)))
    (i32.add (local.get $out) (i32.const 6)))

  ;; Characters of two bytes. A surrogate without its other half is escaped as well.
  (func (export "escape16") (param $at i32) (param $end i32) (param $out i32) (result i32)
    (local $block v128) (local $control v128) (local $letters v128) (local $found i32) (local $slowly i32)
    (loop $next
      (if
        (i32.and
          (i32.ge_u (local.get $at) (local.get $slowly))
          (i32.le_u (i32.add (local.get $at) (i32.const 16)) (local.get $end)))
        (then
          (local.set $block (v128.load (local.get $at)))
          (local.set $control (i16x8.lt_u (local.get $block) (i16x8.splat (i32.const 0x20))))
          (local.set $letters (i8x16.swizzle (v128.load (i32.const 0)) (local.get $block)))
          (if
            (i32.eqz
              (i16x8.bitmask
                (v128.or
                  (i16x8.eq
                    (v128.and (local.get $block) (i16x8.splat (i32.const 0xf800)))
                    (i16x8.splat (i32.const 0xd800)))
                  (v128.and
                    (local.get $control)
                    (i16x8.eq (local.get $letters) (v128.const i64x2 0 0))))))
            (then
              (local.set $found
                (i16x8.bitmask
                  (v128.or
                    (local.get $control)
                    (v128.or
                      (i16x8.eq (local.get $block) (i16x8.splat (i32.const 0x22)))
                      (i16x8.eq (local.get $block) (i16x8.splat (i32.const 0x5c)))))))
              (local.set $at (i32.add (local.get $at) (i32.const 16)))
              (if (i32.eqz (local.get $found))
                (then
                  (v128.store (local.get $out) (local.get $block))
                  (local.set $out (i32.add (local.get $out) (i32.const 16)))
                  (br $next)))
              (local.set $block
                (v128.bitselect (local.get $letters) (local.get $block) (local.get $control)))
              (v128.store
                (local.get $out)
                (i8x16.swizzle
                  (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 16 17 16 17 16 17
                    (local.get $block) (i16x8.splat (i32.const 0x5c)))
                  (v128.load offset=5120 (i32.shl (i32.and (local.get $found) (i32.const 0xf)) (i32.const 4)))))
              (local.set $out
                (i32.add
                  (local.get $out)
                  (i32.shl (i32.add (i32.const 4) (i32.popcnt (i32.and (local.get $found) (i32.const 0xf)))) (i32.const 1))))
              (v128.store
                (local.get $out)
                (i8x16.swizzle
                  (i8x16.shuffle 8 9 10 11 12 13 14 15 16 17 16 17 16 17 16 17
                    (local.get $block) (i16x8.splat (i32.const 0x5c)))
                  (v128.load offset=5120 (i32.shl (i32.shr_u (local.get $found) (i32.const 4)) (i32.const 4)))))
              (local.set $out
                (i32.add
                  (local.get $out)
                  (i32.shl (i32.add (i32.const 4) (i32.popcnt (i32.shr_u (local.get $found) (i32.const 4)))) (i32.const 1))))
              (br $next)))
          (local.set $slowly (i32.add (local.get $at) (i32.const 16)))))
      (if (i32.lt_u (local.get $at) (local.get $end))
        (then
          (if (call $isPair (local.get $at) (local.get $end))
            (then
              (i32.store (local.get $out) (i32.load (local.get $at)))
              (local.set $at (i32.add (local.get $at) (i32.const 4)))
              (local.set $out (i32.add (local.get $out) (i32.const 4))))
            (else
              (local.set $out (call $one16 (i32.load16_u (local.get $at)) (local.get $out)))
              (local.set $at (i32.add (local.get $at) (i32.const 2)))))
          (br $next))))
    (local.get $out))

  ;; Writes one character.
  (func $one16 (param $character i32) (param $out i32) (result i32)
    (local $letter i32)
    (if (i32.eqz (call $isEscaped (local.get $character)))
      (then
        (i32.store16 (local.get $out) (local.get $character))
        (return (i32.add (local.get $out) (i32.const 2)))))
    (i32.store16 (local.get $out) (i32.const 0x5c))
    (local.set $letter (call $letterOf (local.get $character)))
    (if (local.get $letter)
      (then
        (i32.store16 offset=2 (local.get $out) (local.get $letter))
        (return (i32.add (local.get $out) (i32.const 4)))))
    (i32.store16 offset=2 (local.get $out) (i32.const 0x75))
    (i32.store16 offset=4 (local.get $out) (call $digit (local.get $character) (i32.const 12)))
    (i32.store16 offset=6 (local.get $out) (call $digit (local.get $character) (i32.const 8)))
    (i32.store16 offset=8 (local.get $out) (call $digit (local.get $character) (i32.const 4)))
    (i32.store16 offset=10 (local.get $out) (call $digit (local.get $character) (i32.const 0)))
    (i32.add (local.get $out) (i32.const 12)))

  ;; Whether two surrogates stand here that belong together.
  (func $isPair (param $at i32) (param $end i32) (result i32)
    (i32.and
      (i32.le_u (i32.add (local.get $at) (i32.const 4)) (local.get $end))
      (i32.eq
        (i32.and (i32.load (local.get $at)) (i32.const 0xfc00fc00))
        (i32.const 0xdc00d800))))

  (func $isEscaped (param $character i32) (result i32)
    (i32.or
      (i32.lt_u (local.get $character) (i32.const 0x20))
      (i32.or
        (i32.or
          (i32.eq (local.get $character) (i32.const 0x22))
          (i32.eq (local.get $character) (i32.const 0x5c)))
        (i32.eq (i32.and (local.get $character) (i32.const 0xf800)) (i32.const 0xd800)))))

  ;; What follows the backslash; zero: its number.
  (func $letterOf (param $character i32) (result i32)
    (if (i32.lt_u (local.get $character) (i32.const 16))
      (then (return (i32.load8_u (local.get $character)))))
    (select
      (local.get $character)
      (i32.const 0)
      (i32.or
        (i32.eq (local.get $character) (i32.const 0x22))
        (i32.eq (local.get $character) (i32.const 0x5c)))))

  ;; The hexadecimal digit that stands so many bits from the right.
  (func $digit (param $value i32) (param $bits i32) (result i32)
    (i32.load8_u offset=16 (i32.and (i32.shr_u (local.get $value) (local.get $bits)) (i32.const 15)))))
