/** What follows the options of the picture: key frames, which differ by chunk, or those of the file, which name folders of this machine. */
const FOLLOWING = ['-force_key_frames', '-map_metadata']

/**
 * Returns the options with which ffmpeg encodes the picture of one rendition, from the arguments of a pass for several. `at`: the place of the
 * rendition, from 0. Options of other renditions are left out.
 */
export function optionsOfPicture(args: readonly string[], at: number): string[] {
  const from = args.indexOf('-c:v')
  const end = args.findIndex((name, place) => place > from && FOLLOWING.includes(name))
  const options = args.slice(from, end)
  return Array.from({ length: Math.floor(options.length / 2) }, (_, pair) => options.slice(2 * pair, 2 * pair + 2)).flatMap(
    ([name = '', value = '']) => {
      const own = /^(.+?):v:(\d+)$/.exec(name)
      if (!own) return [name, value]
      return Number(own[2]) === at ? [own[1] as string, value] : []
    },
  )
}
