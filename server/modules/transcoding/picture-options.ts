/**
 * Returns the options with which ffmpeg encodes the picture of one rendition, from the arguments of a pass for several: `-c:v` to
 * `-force_key_frames`, which differ by chunk. `at`: the place of the rendition, from 0. Options of other renditions are left out.
 */
export function optionsOfPicture(args: readonly string[], at: number): string[] {
  const options = args.slice(args.indexOf('-c:v'), args.indexOf('-force_key_frames'))
  return Array.from({ length: Math.floor(options.length / 2) }, (_, pair) => options.slice(2 * pair, 2 * pair + 2)).flatMap(
    ([name = '', value = '']) => {
      const own = /^(.+?):v:(\d+)$/.exec(name)
      if (!own) return [name, value]
      return Number(own[2]) === at ? [own[1] as string, value] : []
    },
  )
}
