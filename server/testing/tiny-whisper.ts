import { writeFile } from 'node:fs/promises'

/** Sizes of the model: like Whisper's `tiny`, with the smallest layers that whisper.cpp computes. */
const SIZES = { audioCtx: 1_500, state: 64, heads: 1, layers: 4, textCtx: 448, mels: 80 }
const FFT = 201

/**
 * Writes a Whisper model in ggml format that knows nothing: its weights are random, but the same each time. `vocab`: number of tokens,
 * 51,865 of a model of many languages.
 */
export async function writeTinyWhisper(path: string, { vocab = 51_865 } = {}): Promise<void> {
  const pieces: Buffer[] = []
  const ints = (...values: number[]) => pieces.push(Buffer.from(Int32Array.from(values).buffer))
  const { audioCtx, state, heads, layers, textCtx, mels } = SIZES
  ints(0x67676d6c, vocab, audioCtx, state, heads, layers, textCtx, state, heads, layers, mels, 0)
  ints(mels, FFT)
  pieces.push(Buffer.from(Float32Array.from({ length: mels * FFT }, random).buffer))
  const words = vocab - 1_608
  ints(words)
  for (let token = 0; token < words; token++) {
    // whisper.cpp looks the blank up.
    const text = Buffer.from(token === 0 ? ' ' : token % 3 === 0 ? ` w${token}` : `x${token}`)
    ints(text.length)
    pieces.push(text)
  }
  // Fastest dimension first.
  const tensor = (name: string, ...shape: number[]) => {
    const text = Buffer.from(name)
    ints(shape.length, text.length, 0, ...shape)
    pieces.push(text)
    const scale = name.endsWith('weight') || name.endsWith('embedding') ? 0.05 : 0.01
    pieces.push(Buffer.from(Float32Array.from({ length: shape.reduce((a, b) => a * b) }, () => random() * scale).buffer))
  }
  const norm = (name: string) => {
    tensor(`${name}.weight`, state)
    tensor(`${name}.bias`, state)
  }
  const attention = (name: string) => {
    for (const part of ['query', 'key', 'value', 'out']) {
      tensor(`${name}.${part}.weight`, state, state)
      if (part !== 'key') tensor(`${name}.${part}.bias`, state)
    }
  }
  const block = (name: string, hasCross: boolean) => {
    norm(`${name}.attn_ln`)
    attention(`${name}.attn`)
    if (hasCross) {
      norm(`${name}.cross_attn_ln`)
      attention(`${name}.cross_attn`)
    }
    norm(`${name}.mlp_ln`)
    tensor(`${name}.mlp.0.weight`, state, 4 * state)
    tensor(`${name}.mlp.0.bias`, 4 * state)
    tensor(`${name}.mlp.2.weight`, 4 * state, state)
    tensor(`${name}.mlp.2.bias`, state)
  }
  tensor('encoder.positional_embedding', state, audioCtx)
  tensor('encoder.conv1.weight', 3, mels, state)
  tensor('encoder.conv1.bias', 1, state)
  tensor('encoder.conv2.weight', 3, state, state)
  tensor('encoder.conv2.bias', 1, state)
  norm('encoder.ln_post')
  tensor('decoder.positional_embedding', state, textCtx)
  tensor('decoder.token_embedding.weight', state, vocab)
  norm('decoder.ln')
  for (let layer = 0; layer < layers; layer++) {
    block(`encoder.blocks.${layer}`, false)
    block(`decoder.blocks.${layer}`, true)
  }
  await writeFile(path, Buffer.concat(pieces))
}

let seed = 1
/** Returns a number from -1 to 1. */
function random(): number {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return seed / 1_073_741_824 - 1
}
