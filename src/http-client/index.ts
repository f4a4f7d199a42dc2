export { leanFetch } from './lean-fetch.ts';
export { MalformedResponse, type ResponseHead } from './response-head.ts';
export { type AnswerHandler, ResponseParser } from './response-parser.ts';
