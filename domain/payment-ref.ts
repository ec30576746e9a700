/** A gateway's own id of a payment: an opaque text, never an address of a person and never the number of a card. */
export const isPaymentRef = (text: string): boolean => /^[A-Za-z0-9][\w.:-]{0,199}$/.test(text) && !isCardNumber(text)

/** 13 to 19 digits whose check digit is right, whatever separates them. */
function isCardNumber(text: string): boolean {
  const digits = text.replace(/[.:_-]/g, '')
  if (!/^\d{13,19}$/.test(digits)) return false
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const doubled = Number(digit) * (place % 2 === 1 ? 2 : 1)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return sum % 10 === 0
}
