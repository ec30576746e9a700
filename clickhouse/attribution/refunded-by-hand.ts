/** What a merchant refunded of a payment; money in another currency than the payment's is not taken off it. */
export const refundedByHand = (payment: string, action: string): string =>
  `if(${action}.refund_currency IN ('', toString(${payment}.currency)), ${action}.refunded_minor, 0)`
