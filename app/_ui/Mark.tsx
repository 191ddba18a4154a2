/** Draws the mark: a frame of celluloid whose opening is a gate. `size` in pixels; uses the accent unless `color` is given. */
export function Mark({ size = 24, color }: { size?: number; color?: string }) {
  const fill = color ?? 'var(--mantine-color-indigo-6)'
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill="none" aria-hidden="true" focusable="false">
      <path fillRule="evenodd" clipRule="evenodd" d={FRAME} fill={fill} />
      <path d={GATE} fill={fill} />
    </svg>
  )
}

/** A rounded frame with six perforations and a window in it. */
const FRAME =
  'M5 1.5h14A3.5 3.5 0 0 1 22.5 5v14a3.5 3.5 0 0 1-3.5 3.5H5A3.5 3.5 0 0 1 1.5 19V5A3.5 3.5 0 0 1 5 1.5Z' +
  'M3.7 5.2v2.2h2V5.2h-2Zm0 5.7v2.2h2v-2.2h-2Zm0 5.7v2.2h2v-2.2h-2Z' +
  'M18.3 5.2v2.2h2V5.2h-2Zm0 5.7v2.2h2v-2.2h-2Zm0 5.7v2.2h2v-2.2h-2Z' +
  'M7.6 20.4V9.2a4.4 4.4 0 0 1 8.8 0v11.2H7.6Z'
/** The two wings, ajar. */
const GATE = 'M9.2 9.3a2.8 2.8 0 0 1 2-2.7v13.8h-2V9.3Zm5.6 0a2.8 2.8 0 0 0-2-2.7v13.8h2V9.3Z'
