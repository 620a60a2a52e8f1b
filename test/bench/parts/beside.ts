import type { Bench, Figures, Part } from '../part.ts'
import { distributedBeside } from './beside/distributed.ts'
import { embeddedBeside } from './beside/embedded.ts'

async function run(bench: Bench): Promise<Figures> {
  if (bench.beside === undefined)
    return { rows: [{ what: 'another checkout', measured: 'not measured: none was named (--beside DIR)' }] }
  return { rows: [...(await embeddedBeside(bench, bench.beside)), ...(await distributedBeside(bench, bench.beside))] }
}

/**
 * `--beside DIR`: measures both modes of this checkout, in turn with those of another, such as that of the previous
 * commit.
 */
export const beside: Part = { name: 'beside', title: 'Both modes beside those of another checkout', run }
