import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'

const source = join(import.meta.dirname, 'src')

export interface BuiltTracker {
  /** The whole script; its settings come from the loader or from its own element. */
  script: string
  /** The loader with `TOUCHLINE_SRC` and `TOUCHLINE_SETTINGS` still to be filled in. */
  loader: string
  /** The store's custom pixel with `TOUCHLINE_SETTINGS` still to be filled in. */
  storePixel: string
  /** Names this very script in its address. */
  hash: string
  /** What `integrity="…"` takes. */
  integrity: string
}

/** The browser's script from its sources; the same bytes wherever it is built. */
export async function buildTracker(): Promise<BuiltTracker> {
  const [main, rest, loader, storePixel] = await Promise.all([
    bundle('main.ts'),
    bundle('rest.ts'),
    bundle('loader.ts'),
    bundle('store-pixel.ts'),
  ])
  const script =
    compileHint + main.replace('TOUCHLINE_UNPACK', () => `(()=>{const TOUCHLINE_REST={};${rest}return TOUCHLINE_REST})`)
  const digest = (algorithm: string) => createHash(algorithm).update(script)
  return {
    script,
    loader,
    storePixel,
    hash: digest('sha256').digest('hex').slice(0, 16),
    integrity: `sha384-${digest('sha384').digest('base64')}`,
  }
}

// Almost everything in the script runs soon after it came. Compiled whole, it is ready before it reaches the main thread;
// without the hint each function is compiled there on its first call. What a page carries itself gets no line comment:
// some editors join its lines.
const compileHint = '//# allFunctionsCalledOnLoad\n'

async function bundle(entry: string): Promise<string> {
  const options: BuildOptions = {
    entryPoints: [join(source, entry)],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2018',
    charset: 'utf8',
    legalComments: 'none',
    write: false,
    logLevel: 'silent',
  }
  const { outputFiles } = await build(options)
  return outputFiles![0]!.text.trim()
}
