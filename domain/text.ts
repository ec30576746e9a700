/** Free text that is safe to store: well-formed, without control characters, trimmed, cut to a length. */
export function cleanText(text: string, maxLength: number): string {
  const clean = text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
  return clean.length > maxLength ? clean.slice(0, maxLength).toWellFormed() : clean
}

const emailLike = /[^\s@/]+@[^\s@/]+\.[^\s@/]{2,}/
export const hasEmail = (text: string): boolean => text.includes('@') && emailLike.test(text)
