const top = (1n << 128n) - 1n

/** The table keeps the highest version of a row; for what a browser sends the first receipt counts, so it is turned round. */
export const firstReceipt = (version: bigint): bigint => top - version
