/** Advisory locks that one process of the whole deployment holds at a time; never two for one purpose. */
export const lockIds = {
  migration: 7_046_913,
  outboxRelay: 7_046_914,
  replay: 7_046_915,
  scoring: 7_046_916,
} as const
