/** Preset of x264 by the quality of its search for motion (`subme`), which is different in each. */
const SUBME = { ultrafast: 0, superfast: 1, veryfast: 2, faster: 4, fast: 6, medium: 7, slow: 8, slower: 9, veryslow: 10, placebo: 11 }

const kilo = (value) => Math.floor(Number(value) / 1_000)
/** What options of ffmpeg become in the settings that x264 writes into its pictures: a name and a value. */
const SETTINGS = {
  '-crf': (value) => ['crf', Number(value)],
  '-qp': (value) => ['qp', Number(value)],
  '-maxrate': (value) => ['vbv_maxrate', kilo(value)],
  '-bufsize': (value) => ['vbv_bufsize', kilo(value)],
  '-g': (value) => ['keyint', Number(value)],
  '-bf': (value) => ['bframes', Number(value)],
  '-sc_threshold': (value) => ['scenecut', Number(value)],
  '-preset': (value) => ['subme', SUBME[value]],
}

/** Returns why the options of an encoding are not those that x264 states in its pictures; undefined when they are, and for other encoders. */
export function settingsFault({ encoder, options, embedded }) {
  if (encoder !== 'x264' || options === null) return undefined
  if (embedded === null) return 'x264 states no settings in them'
  const stated = new Map(
    embedded
      .slice(embedded.indexOf('options:'))
      .split(' ')
      .map((pair) => pair.split('=')),
  )
  const wanted = new Map()
  for (let at = 0; at < options.length; at += 2) {
    const [option, value] = [options[at], options[at + 1]]
    if (SETTINGS[option]) wanted.set(...SETTINGS[option](value))
    if (option !== '-x264-params') continue
    for (const pair of value.split(':')) {
      const [name, given] = pair.split('=')
      wanted.set(name === 'aq-mode' ? 'aq' : name.replaceAll('-', '_'), Number(given))
    }
  }
  for (const [name, value] of wanted) {
    // Settings that this version of x264 does not write cannot be compared.
    const found = stated.get(name)
    if (found !== undefined && Number.parseFloat(found) !== value) return `x264 states ${name}=${found}, and the arguments mean ${value}`
  }
  return undefined
}
