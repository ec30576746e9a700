/** The outcome of a check is a value: what was found good, or the stable reason why not. */
export type Checked<Value, Reason extends string> = { ok: true; value: Value } | { ok: false; reason: Reason }

export const accept = <Value>(value: Value): { ok: true; value: Value } => ({ ok: true, value })

export const refuse = <Reason extends string>(reason: Reason): { ok: false; reason: Reason } => ({ ok: false, reason })
