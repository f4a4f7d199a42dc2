import type { WordProblem } from './task.ts';

/** The problems to train on. */
export const trainTasks: readonly WordProblem[] = [
  {
    question:
      'Nadia bakes 4 trays of rolls with 18 rolls on each tray. She gives 15 rolls to her neighbours and burns 6. How many good rolls are left?',
    working: '4*18-15-6',
    answer: 51,
    hint: 'Count all the rolls first, then take away those that are gone.',
  },
  {
    question:
      'A tram ticket costs $3. A day pass costs $8. Joris rides the tram 5 times on Saturday. How many dollars does the day pass save him?',
    working: '5*3-8',
    answer: 7,
  },
  {
    question:
      'A baker fills 12 boxes with 6 muffins each and sells every box for $9. The flour and butter cost her $37. What is her profit in dollars?',
    working: '12*9-37',
    answer: 71,
    hint: 'Not every number in the story is needed.',
  },
  {
    question: 'Two thirds of the 45 children in a choir sing soprano. How many children do not sing soprano?',
    working: '45-45*2/3',
    answer: 15,
  },
  {
    question:
      'Ravi reads 24 pages a day on each of the five school days and 40 pages a day at the weekend. How many pages does he read in three weeks?',
    working: '3*(5*24+2*40)',
    answer: 600,
    hint: 'Work out one week, then take it three times.',
  },
  {
    question:
      'A water tank holds 900 litres and is one third full. A pump adds 25 litres a minute. How many minutes does it take to fill the tank?',
    working: '(900-900/3)/25',
    answer: 24,
  },
  {
    question:
      'Lena has 7 sheets of 20 stickers. She shares them equally among herself and 3 friends. How many stickers does each child get?',
    working: '7*20/(3+1)',
    answer: 35,
    hint: 'Lena gets a share as well.',
  },
  {
    question:
      'A coat that costs $80 is reduced by 25 percent. At the till another $6 is taken off. How many dollars does the coat cost now?',
    working: '80*(100-25)/100-6',
    answer: 54,
  },
  {
    question:
      'A train leaves with 142 passengers. At the first stop 37 get off and 19 get on. At the second stop half of those on board get off. How many passengers are left?',
    working: '(142-37+19)/2',
    answer: 62,
  },
  {
    question:
      'Tomas is 4 years older than twice the age of his sister. His sister is 9. How old will Tomas be in 5 years?',
    working: '2*9+4+5',
    answer: 27,
    hint: 'Find out how old Tomas is today.',
  },
  {
    question:
      'A gardener plants 8 rows of 14 tulips and 6 rows of 11 daffodils. In spring 17 of the flowers do not come up. How many do?',
    working: '8*14+6*11-17',
    answer: 161,
  },
  {
    question:
      'A cafe sells coffee for $2.50 and cake for $4. On Monday it sells 36 coffees and 15 cakes. How many dollars does it take in?',
    working: '36*2.5+15*4',
    answer: 150,
  },
  {
    question:
      'A bus can carry 48 people. 410 pupils and 22 teachers go on a trip. How many buses are needed if every bus is full?',
    working: '(410+22)/48',
    answer: 9,
  },
  {
    question:
      'Mei saves $15 a week. After 12 weeks she buys a bicycle helmet for $45 and gloves for half as much. How many dollars has she left?',
    working: '15*12-45-45/2',
    answer: 112.5,
    hint: 'The gloves cost half of what the helmet costs.',
  },
  {
    question:
      'A rectangular field is 60 metres long and 35 metres wide. A fence goes all the way around it, except for a gate of 4 metres. How many metres of fence are needed?',
    working: '2*(60+35)-4',
    answer: 186,
  },
  {
    question:
      'A printer prints 22 pages a minute. It prints for 15 minutes, jams for 5 minutes, and then prints for another 10 minutes. How many pages has it printed?',
    working: '22*(15+10)',
    answer: 550,
    hint: 'A jammed printer prints nothing.',
  },
  {
    question:
      'Omar has three times as many marbles as Ines. Together they have 128 marbles. How many marbles has Omar?',
    working: '128/(3+1)*3',
    answer: 96,
  },
  {
    question: 'A recipe for 4 people needs 300 grams of rice. How many grams of rice are needed for 14 people?',
    working: '300/4*14',
    answer: 1050,
    hint: 'How much rice is that for one person?',
  },
  {
    question:
      'A library lends 135 books on Monday, 20 fewer on Tuesday, and on Wednesday as many as on both days together. How many books does it lend in the three days?',
    working: '2*(135+135-20)',
    answer: 500,
  },
  {
    question:
      'A cyclist rides 18 kilometres an hour for 2 hours and then 12 kilometres an hour for 3 hours. What is the whole distance in kilometres?',
    working: '18*2+12*3',
    answer: 72,
  },
  {
    question:
      'A school buys 25 calculators for $14 each and gets $2 back for each of them. How many dollars does it pay in the end?',
    working: '25*(14-2)',
    answer: 300,
  },
  {
    question:
      'A candle is 24 centimetres tall and burns down 1.5 centimetres an hour. How tall is it, in centimetres, after 6 hours?',
    working: '24-1.5*6',
    answer: 15,
  },
  {
    question: 'In a car park 3 of every 8 cars are red. There are 136 cars. How many cars are not red?',
    working: '136-136*3/8',
    answer: 85,
    hint: 'Of every 8 cars, 5 are not red.',
  },
  {
    question:
      'A farmer collects 210 eggs a day. She keeps 6 eggs for her family and packs the others in boxes of 12. How many boxes does she fill in a day?',
    working: '(210-6)/12',
    answer: 17,
  },
  {
    question:
      'A phone costs $360. Paul pays a quarter of it at once and the rest in 9 equal monthly payments. How many dollars is one payment?',
    working: '(360-360/4)/9',
    answer: 30,
    hint: 'How much is left after the first payment?',
  },
  {
    question:
      'A ferry takes 40 minutes for one crossing and waits 20 minutes in each port. How many crossings does it make in 12 hours?',
    working: '12*60/(40+20)',
    answer: 12,
  },
  {
    question:
      'Aisha runs 5 kilometres on the first day and 2 kilometres more on every day that follows. How many kilometres does she run in the first 4 days together?',
    working: '5+(5+2)+(5+4)+(5+6)',
    answer: 32,
  },
  {
    question:
      'A box of 30 pencils weighs 210 grams. The empty box weighs 60 grams. How many grams does one pencil weigh?',
    working: '(210-60)/30',
    answer: 5,
    hint: 'The box weighs something too.',
  },
  {
    question:
      'A theatre has 26 rows with 32 seats each. For a concert 750 tickets are sold, and 18 people who bought one do not come. How many seats stay empty?',
    working: '26*32-(750-18)',
    answer: 100,
  },
  {
    question:
      'A worker earns $18 an hour and one and a half times as much for every hour above 40 in a week. How many dollars does she earn in a week of 46 hours?',
    working: '40*18+(46-40)*18*1.5',
    answer: 882,
    hint: 'Six of the hours are paid better.',
  },
  {
    question:
      'A shop buys 150 T-shirts at $6 each and sells 120 of them at $15 and the rest at $5. What is its profit in dollars?',
    working: '120*15+(150-120)*5-150*6',
    answer: 1050,
  },
  {
    question:
      'The temperature is 7 degrees at noon. It falls by 3 degrees every two hours. What is the temperature at 10 in the evening?',
    working: '7-3*(10/2)',
    answer: -8,
    hint: 'It may well be below zero.',
  },
];
