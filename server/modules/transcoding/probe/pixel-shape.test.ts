import { expect, test } from 'vitest'
import { tracesMatrix, tracesSquarePixels } from './pixel-shape.ts'

const line = (name: string, bits: string, value: number) => `[trace_headers @ 0x55] 73          ${name}          ${bits} = ${value}\n`
test.each([
  ['no shape', line('aspect_ratio_info_present_flag', '0', 0), true],
  ['an unspecified shape', line('aspect_ratio_idc', '00000000', 0), true],
  ['square pixels', line('aspect_ratio_idc', '00000001', 1), true],
  ['wide pixels of the table', line('aspect_ratio_idc', '00001110', 14), false],
  ['square pixels in numbers', line('aspect_ratio_idc', '11111111', 255) + line('sar_width', '11', 3) + line('sar_height', '11', 3), true],
  ['wide pixels in numbers', line('aspect_ratio_idc', '11111111', 255) + line('sar_width', '11', 3) + line('sar_height', '10', 2), false],
  ['a later change', line('aspect_ratio_idc', '00000001', 1) + line('aspect_ratio_idc', '00000010', 2), false],
])('tracesSquarePixels of a stream that states %s', (_, trace, isSquare) => expect(tracesSquarePixels(trace)).toBe(isSquare))

test.each<[string, string, string | undefined, boolean]>([
  ['none, as its container', line('video_signal_type_present_flag', '0', 0), undefined, true],
  ['none that its container names', line('matrix_coefficients', '00000010', 2), 'unknown', true],
  ['that of its container', line('matrix_coefficients', '00000001', 1), 'bt709', true],
  ['none, where its container does', line('video_signal_type_present_flag', '0', 0), 'bt709', false],
  ['another than its container', line('matrix_coefficients', '00000110', 6), 'bt709', false],
  ['another later', line('matrix_coefficients', '00000001', 1) + line('matrix_coefficients', '00000110', 6), 'bt709', false],
])('tracesMatrix of a stream that states %s', (_, trace, matrix, isSame) => expect(tracesMatrix(trace, matrix)).toBe(isSame))
