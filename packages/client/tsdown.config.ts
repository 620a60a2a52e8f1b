import { defineConfig } from 'tsdown'

/** `npm pack` in this folder: ESM, CommonJS and types, without dependencies. */
export default defineConfig({
  entry: 'index.ts',
  format: ['esm', 'cjs'],
  platform: 'neutral',
  target: 'node20',
  dts: { generator: 'oxc' },
  fixedExtension: false,
})
