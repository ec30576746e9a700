import { type IdentifierType, identifierTypes } from '../schemas/messages.ts'

/** The identifier that a fact is filed under: the strongest it carries. */
export const strongest = <T extends { type: IdentifierType }>(identifiers: readonly T[]): T | undefined =>
  identifiers.length < 2
    ? identifiers[0]
    : identifiers.toSorted((x, y) => identifierTypes.indexOf(x.type) - identifierTypes.indexOf(y.type))[0]
