import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'

const root = join(import.meta.dirname, '..')
const parts = join(root, 'app/embed/[videoId]/_parts')
const watchParts = join(root, 'app/watch/[token]/_parts')
/** Served at /player. Every name but those of assets.json and of the element contains a hash of the content. */
const PLAYER_DIR = join(root, 'public/player')

const { version: HLS_VERSION } = JSON.parse(readFileSync(join(root, 'node_modules/hls.js/package.json'), 'utf8')) as { version: string }

/**
 * The parts of hls.js that the player uses, in the names of its own build (`build-config.js`). Its light build has no alternate audio, no
 * captions and no CMCD; its full build is half as large again, for parts that this service's videos never need.
 */
const HLS_PARTS = {
  __VERSION__: JSON.stringify(HLS_VERSION),
  __USE_ALT_AUDIO__: 'true',
  __USE_CMCD__: 'true',
  __USE_SUBTITLES__: 'true',
  __USE_EME_DRM__: 'false',
  __USE_CONTENT_STEERING__: 'false',
  __USE_VARIABLE_SUBSTITUTION__: 'false',
  __USE_M2TS_ADVANCED_CODECS__: 'false',
  __USE_MEDIA_CAPABILITIES__: 'false',
  __USE_INTERSTITIALS__: 'false',
  __USE_IFRAMES__: 'false',
  __HLS_WORKER_BUNDLE__: 'undefined',
  __IN_WORKER__: 'false',
}

/**
 * Bundles the embed player's browser code into `dir` and writes `assets.json`, which the page's route reads. next.config.mjs calls it, so
 * that `next build` and `next dev` build the player.
 */
export async function buildPlayer(dir = PLAYER_DIR): Promise<void> {
  const bundle = await rolldown({
    input: join(parts, 'player.ts'),
    platform: 'browser',
    logLevel: 'silent',
    plugins: [styleNonces, controlTexts, captionsOfPictures],
    resolve: { alias: { 'hls.js': join(root, 'node_modules/hls.js/src/exports-named.ts') } },
    transform: { define: HLS_PARTS },
  })
  const { output } = await bundle.generate({
    format: 'esm',
    minify: true,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: ({ facadeModuleId }) => `${isTexts(facadeModuleId) ? 'texts-' : ''}[name]-[hash].js`,
  })
  await bundle.close()
  const element = await bundleElement()
  const css = readFileSync(join(parts, 'player.css'))
  const style = named('player', 'css', css)
  const watch = { css: readFileSync(join(watchParts, 'watch.css')), script: await bundleWatch() }
  const watchFiles = { style: named('watch', 'css', watch.css), script: named('watch', 'js', watch.script) }

  mkdirSync(dir, { recursive: true })
  const files = new Map<string, string | Buffer>([
    [style, css],
    [watchFiles.style, watch.css],
    [watchFiles.script, watch.script],
    ['reelgate-player.js', element],
  ])
  const chunks = output.filter((part) => part.type === 'chunk')
  for (const { fileName, code } of chunks) files.set(fileName, code)
  const address = (name: string | undefined) => `/player/${name}`
  const assets = {
    script: address(chunks.find(({ isEntry }) => isEntry)?.fileName),
    style: address(style),
    watch: { style: address(watchFiles.style), script: address(watchFiles.script) },
    // A page loads the texts of only one language, and the others if its token or its address asks for them.
    preload: chunks
      .filter(({ isEntry, facadeModuleId: module }) => !isEntry && !isTexts(module) && !/\/(watermark|transcript)\.ts$/.test(module ?? ''))
      .map(({ fileName }) => address(fileName)),
  }
  files.set('assets.json', JSON.stringify(assets))
  for (const [name, content] of files) writeFileSync(join(dir, name), content)
  // Deleted last, so that a page requested in the meantime finds the files it names.
  for (const name of readdirSync(dir)) if (!files.has(name)) rmSync(join(dir, name))
}

/**
 * Adds the page's nonce to each <style> of Media Chrome's templates, for which it has no option
 * (app/embed/[videoId]/_parts/style-nonce.ts).
 */
const styleNonces: Plugin = {
  name: 'style-nonces',
  transform(code, id) {
    if (!id.includes('media-chrome') || !code.includes('<style')) return null
    const nonce = `import { styleNonce } from ${JSON.stringify(join(parts, 'style-nonce.ts'))}\n`
    return { code: nonce + code.replaceAll('<style', `<style nonce="\${styleNonce}"`) }
  },
}

/** Whether a chunk is the texts of one language. */
const isTexts = (module: string | null | undefined) => module?.startsWith(join(parts, 'texts/')) ?? false

/**
 * Replaces Media Chrome's texts with the player's own (app/embed/[videoId]/_parts/control-texts.ts), because it bundles English with any
 * language.
 */
const controlTexts: Plugin = {
  name: 'control-texts',
  transform(code, id) {
    const file = JSON.stringify(join(parts, 'control-texts.ts'))
    if (id.endsWith('media-chrome/dist/utils/i18n.js')) {
      // Media Chrome's controller sets the language of its `lang` attribute, which the player does not use.
      const unused = 'export const setLanguage = () => {}; export const getResolvedLanguage = () => "en"'
      return { code: `export { t } from ${file}; ${unused}` }
    }
    if (!id.endsWith('media-chrome/dist/utils/time.js')) return null
    const own = code.replace('  formatAsTimePhrase,\n', '')
    if (own === code) throw new Error('Media Chrome exports no formatAsTimePhrase from utils/time.js, which the player replaces.')
    return { code: `${own}\nexport { formatAsTimePhrase } from ${file}\n` }
  },
}

/** hls.js modules for subtitles outside the picture, which the player shows as its own tracks, and what replaces them. */
const UNUSED: Record<string, string> = {
  'controller/subtitle-stream-controller': 'export const SubtitleStreamController = undefined',
  'controller/subtitle-track-controller': 'export default undefined',
  'utils/imsc1-ttml-parser': "export const IMSC1_CODEC = ''; export const parseIMSC1 = undefined",
}

/** Keeps only hls.js's subtitles that are in the picture (CEA-608). */
const captionsOfPictures: Plugin = {
  name: 'captions-of-pictures',
  load(id) {
    const module = /hls\.js\/src\/(.+)\.ts$/.exec(id)?.[1]
    return module === undefined ? null : (UNUSED[module] ?? null)
  },
}

/** Returns the name of a file with a hash of its content. */
const named = (name: string, ending: string, content: string | Buffer) =>
  `${name}-${createHash('sha256').update(content).digest('hex').slice(0, 8)}.${ending}`

/** Bundles the script of the watch page (app/watch), which needs none of the player's. */
async function bundleWatch(): Promise<string> {
  const bundle = await rolldown({ input: join(watchParts, 'watch.ts'), platform: 'browser', logLevel: 'silent' })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  return output[0].code
}

/** Bundles `<reelgate-player>`: one classic script under a stable name, for other sites' pages. */
async function bundleElement(): Promise<string> {
  const bundle = await rolldown({ input: join(parts, 'element.ts'), platform: 'browser', logLevel: 'silent' })
  const { output } = await bundle.generate({ format: 'iife', minify: true })
  await bundle.close()
  return output[0].code
}

if (import.meta.main) await buildPlayer()
