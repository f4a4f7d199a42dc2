import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** A declaration of a module, by a name that is the same wherever it is exported. */
export interface Declared {
  readonly file: string;
  readonly name: string;
  /** Without comments and literals, and without what is `@internal`. */
  readonly text: string;
}

/** Something that a module exports. */
export interface Exported {
  readonly declared: Declared;
  /** Whether it is there for types alone, so that nobody reaches a class's constructor and statics. */
  readonly isType: boolean;
}

/** What the type declarations that `tsc` has written say; they have no bodies, and one form. */
export class Declarations {
  readonly #modules = new Map<string, Module>();

  /** All that an entry point exports. */
  exportsOf(file: string): Exported[] {
    return [...this.#module(file).reexports].map(([name, { isType }]) => {
      const declared = this.find(file, name);
      if (declared === undefined) throw new Error(`${file} exports ${name}, which is declared nowhere`);
      return { declared, isType };
    });
  }

  /** What a name means in a module; undefined if it is not one of ours. */
  find(file: string, name: string): Declared | undefined {
    const { declared, imports, reexports } = this.#module(file);
    const source = imports.get(name) ?? reexports.get(name);
    return declared.get(name) ?? (source === undefined ? undefined : this.find(source.file, source.name));
  }

  #module(file: string): Module {
    const module = this.#modules.get(file) ?? read(file);
    this.#modules.set(file, module);
    return module;
  }
}

interface Module {
  readonly declared: ReadonlyMap<string, Declared>;
  readonly imports: ReadonlyMap<string, Source>;
  readonly reexports: ReadonlyMap<string, Source>;
}

interface Source {
  readonly file: string;
  readonly name: string;
  readonly isType: boolean;
}

const LIST = /^(import|export) (type )?\{([^}]*)\} from '(\.[^']+)';/gm;
const DECLARATION = /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface|type|function|const) (\w+)/;

function read(file: string): Module {
  const text = readFileSync(file, 'utf8');
  const sources = { import: new Map<string, Source>(), export: new Map<string, Source>() };
  for (const [, kind, type, names = '', path = ''] of text.matchAll(LIST)) {
    for (const each of names.split(',').filter((name) => name.trim() !== '')) {
      const [, own, name = '', as = name] = /^\s*(type )?(\w+)(?: as (\w+))?\s*$/.exec(each) ?? [];
      const source = resolve(dirname(file), path.replace(/\.[jt]s$/, '.d.ts'));
      const isType = (type ?? own) !== undefined;
      sources[kind as keyof typeof sources].set(as, { file: source, name, isType });
    }
  }
  const declared = new Map<string, Declared>();
  for (const part of withoutComments(text).split(/^(?=\w)/m)) {
    const name = DECLARATION.exec(part)?.[1];
    // A function has a declaration for each of its signatures.
    if (name !== undefined) declared.set(name, { file, name, text: (declared.get(name)?.text ?? '') + part });
  }
  return { declared, imports: sources.import, reexports: sources.export };
}

function withoutComments(text: string): string {
  return text
    .replace(/\/\*(?:(?!\*\/).)*@internal.*?\*\/[^;]*;/gs, '')
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/'[^'\n]*'/g, "''");
}
