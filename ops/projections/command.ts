import { parseArgs } from 'node:util'
import { SHARDS, type Shard } from '#packages/ports/shards.ts'

export const USAGE = 'Usage: npm run projections -- rebuild [--shard N …]'

/** Which views are made anew: those of some shards, or all. */
export type RebuildCommand = { shards: ReadonlySet<Shard> | undefined }

/** @throws Error with the usage: it is no such command */
export function parseProjectionsCommand(args: readonly string[]): RebuildCommand {
  const { positionals, values } = parsed(args)
  if (positionals.join(' ') !== 'rebuild') throw new Error(USAGE)
  if (values.shard === undefined) return { shards: undefined }
  return { shards: new Set(values.shard.flatMap((text) => text.split(',')).map(shardOf)) }
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: { shard: { type: 'string', multiple: true } },
      allowPositionals: true,
    })
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${USAGE}`)
  }
}

function shardOf(text: string): Shard {
  const shard = Number(text)
  if (!/^\d+$/.test(text) || shard >= SHARDS) throw new Error(`a shard is a number from 0 to ${SHARDS - 1}\n${USAGE}`)
  return shard
}
