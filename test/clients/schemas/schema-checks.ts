/** Schemas for /v1/extract by the public generators of schemas, each with a value that fits and one that does not. */
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assertSchema } from '#packages/content/extraction/schema/check-schema.ts'
import { compileSchema } from '#packages/content/extraction/schema/compile-schema.ts'

/** One schema of a generator. The generator itself accepts the first value and refuses the second. */
type Case = { name: string; schema: Record<string, unknown>; fits: unknown; fails: unknown }
type Written = { by: string; cases: Case[] }

/** The least number of schemas that have to be tried. */
const LEAST = 200

/** Older versions of Pydantic besides the one in .venv, by their folders in .clients. */
export const olderPydantics = ['pydantic-2.9', 'pydantic-2.12']

/** Runs a command in a folder, with variables. @returns what it prints */
type Run = (command: string, words: readonly string[], more: Record<string, string>) => Promise<string>

/** The problem with the service's reading of a schema. Undefined if there is none. */
function problemOf({ schema, fits, fails }: Case): string | undefined {
  try {
    assertSchema(schema)
  } catch (error) {
    return `refused: ${(error as Error).message}`
  }
  const validate = compileSchema(schema)
  if (!validate(fits)) return `refuses ${JSON.stringify(fits)}: ${validate.errors?.map(({ message }) => message)}`
  return validate(fails) ? `takes ${JSON.stringify(fails)}` : undefined
}

/** @param folder is below .clients, so that the TypeScript program finds its packages */
async function written(folder: string, python: string, run: Run): Promise<Written[]> {
  const program = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
  await copyFile(program('by-typescript.ts'), join(folder, 'by-typescript.ts'))
  const printed = [
    await run(process.execPath, ['by-typescript.ts'], {}),
    await run(python, [program('by_pydantic.py')], {}),
    ...(await Promise.all(
      olderPydantics.map((name) => run(python, [program('by_pydantic.py')], { PYTHONPATH: join(folder, '..', name) })),
    )),
  ]
  return printed.flatMap((json) => JSON.parse(json) as Written[])
}

/**
 * Tries every schema of every generator.
 * @returns how many there were
 * @throws Error that names each schema that is refused, or read differently from what its generator means
 */
export async function checkSchemas(folder: string, python: string, run: Run): Promise<number> {
  const all = (await written(folder, python, run)).flatMap(({ by, cases }) => cases.map((one) => ({ by, one })))
  const problems = all.flatMap(({ by, one }) => {
    const problem = problemOf(one)
    return problem === undefined ? [] : [`${by}, ${one.name}: ${problem}`]
  })
  if (all.length < LEAST) problems.push(`only ${all.length} schemas were written`)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return all.length
}
