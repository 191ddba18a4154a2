// hls.js has no types for its light build, whose API equals the full one's.
declare module 'hls.js/light' {
  export * from 'hls.js'
  export { default } from 'hls.js'
}
