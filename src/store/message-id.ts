/** Ids of context messages, apart since loading what makes them takes 7 ms. */
export { randomUUID as newMessageId } from 'node:crypto';
