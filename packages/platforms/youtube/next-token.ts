import type { Shape } from '../reading/shape.ts'

const TOKEN = ['continuationCommand', 'token']

/** The token of the next page, from the parts of this one. Null if there is none. @throws ShapeError */
export function nextToken(parts: readonly Shape[]): string | null {
  for (const part of parts) {
    if (part.has('continuationItemViewModel'))
      return part.required('string', 'continuationItemViewModel', 'continuationCommand', 'innertubeCommand', ...TOKEN)
    if (!part.has('continuationItemRenderer')) continue
    const endpoint = part.required('object', 'continuationItemRenderer', 'continuationEndpoint')
    const commands = endpoint.optional('list', 'commandExecutorCommand', 'commands') ?? [endpoint]
    return (commands.find((one) => one.has(...TOKEN)) ?? endpoint).required('string', ...TOKEN)
  }
  return null
}
