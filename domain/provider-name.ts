/** What a CRM, a payment provider or an ad platform is called; compared as it is written, so it is kept in small letters. */
export const providerShape = /^[\w.:-]{1,64}$/
export const providerMessage = 'must be a name of letters, digits, _ . : and -'
