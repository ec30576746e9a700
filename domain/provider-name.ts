/** What a CRM, a payment provider or an ad platform is called; compared as it is written, so it is kept in small letters. */
export const providerShape = /^[\w.:-]{1,64}$/
export const providerMessage = 'must be a name of letters, digits, _ . : and -'

/** One provider's id 42 is not another's: the id carries its provider. */
export const idAtProvider = (provider: string, id: string): string => `${provider}:${id}`

/** The provider that an id carries, with what sets it off. */
export const providerPart = (id: string): string => /^[\w.-]{1,64}:/.exec(id)?.[0] ?? ''
