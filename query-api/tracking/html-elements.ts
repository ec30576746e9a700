import { Parser } from 'htmlparser2'

/** An element of a page, as a browser that runs scripts sees it. */
export interface HtmlElement {
  name: string
  /** Names in lower case; the first of several with one name counts. */
  attributes: ReadonlyMap<string, string>
  /** What a script holds; of others it is left out. */
  text: string
}

const listed = new Set(['script', 'meta', 'body'])
// A browser that runs scripts shows nothing of what stands inside these.
const unseen = new Set(['noscript', 'iframe', 'noframes', 'noembed', 'template'])

/** The scripts, meta elements and bodies of a page in their order, without what is commented out. */
export function htmlElements(page: string): HtmlElement[] {
  const elements: HtmlElement[] = []
  let unseenDepth = 0
  let script: HtmlElement | undefined
  const parser = new Parser({
    onopentag(name, attributes) {
      if (unseen.has(name)) unseenDepth++
      if (unseenDepth > 0 || !listed.has(name)) return
      const element = { name, attributes: new Map(Object.entries(attributes)), text: '' }
      elements.push(element)
      if (name === 'script') script = element
    },
    ontext(text) {
      if (script) script.text += text
    },
    onclosetag(name) {
      if (name === 'script') script = undefined
      if (unseen.has(name)) unseenDepth--
    },
  })
  // As browsers do, by whose reading a script's hash is told.
  parser.end(page.replace(/\r\n?/g, '\n'))
  return elements
}
