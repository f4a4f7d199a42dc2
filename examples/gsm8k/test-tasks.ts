import type { WordProblem } from './task.ts';

/** The problems to measure with; none of them is in the training split. */
export const testTasks: readonly WordProblem[] = [
  {
    question:
      'A beekeeper fills 14 jars from each of her 9 hives. She keeps 11 jars and sells the rest at $8 each. How many dollars does she earn?',
    working: '(14*9-11)*8',
    answer: 920,
  },
  {
    question:
      'A swimming pool is 50 metres long. Hana swims 36 lengths on Monday and a third fewer on Wednesday. How many metres does she swim on both days together?',
    working: '50*(36+36*2/3)',
    answer: 3000,
    hint: 'A third fewer means two thirds as many.',
  },
  {
    question:
      'A bag of 5 kilograms of flour costs $7.50. A loaf of bread takes 400 grams of flour. How many dollars of flour are in 4 loaves?',
    working: '7.5/5*0.4*4',
    answer: 2.4,
    hint: 'How much does one kilogram cost?',
  },
  {
    question:
      'Of the 240 seats of an aeroplane, 15 percent are empty. Half of the passengers have a suitcase, and nobody has two. How many suitcases are on board?',
    working: '240*85/100/2',
    answer: 102,
  },
  {
    question:
      'Felix builds a tower. The lowest layer has 21 blocks, and every layer has 4 blocks fewer than the one below. How many blocks does he need for 5 layers?',
    working: '21+17+13+9+5',
    answer: 65,
  },
  {
    question:
      'A taxi costs $4 at the start and $1.80 for every kilometre. Four friends share a ride of 15 kilometres equally. How many dollars does each of them pay?',
    working: '(4+1.8*15)/4',
    answer: 7.75,
    hint: 'Work out the price of the whole ride first.',
  },
  {
    question:
      'A machine makes 45 bolts a minute. 2 of every 45 bolts are thrown away. How many good bolts does it make in two hours?',
    working: '(45-2)*2*60',
    answer: 5160,
  },
  {
    question:
      'Grandmother is 66. Her daughter is half as old, and her grandson is 29 years younger than her daughter. What is the sum of the three ages?',
    working: '66+66/2+(66/2-29)',
    answer: 103,
  },
  {
    question:
      'A cinema sells 180 tickets. Adults pay $11 and children $7. Two thirds of the tickets go to adults. How many dollars does the cinema take in?',
    working: '180*2/3*11+180/3*7',
    answer: 1740,
    hint: 'How many of the tickets are for children?',
  },
  {
    question:
      'A snail climbs 5 metres by day and slides back 2 metres by night. How many metres above the ground is it at the end of the seventh day, before it slides back?',
    working: '6*(5-2)+5',
    answer: 23,
    hint: 'There are only six nights in it.',
  },
  {
    question:
      'Sara buys 3 notebooks at $2.25 each and 2 pens at $1.40 each. She pays with a $20 note. How many dollars does she get back?',
    working: '20-3*2.25-2*1.4',
    answer: 10.45,
  },
  {
    question:
      'A village has 1,250 inhabitants. Every year 40 people move in and 15 move away, and nobody is born or dies. How many inhabitants has it after 6 years?',
    working: '1250+6*(40-15)',
    answer: 1400,
  },
];
