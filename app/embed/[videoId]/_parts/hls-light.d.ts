// hls.js ships no types of its own for its light build, whose API is the full one's.
declare module 'hls.js/light' {
  export * from 'hls.js'
  export { default } from 'hls.js'
}
