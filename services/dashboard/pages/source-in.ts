import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { profilePlatforms } from '#packages/platforms/registry.ts'
import { parseSource, type Source } from '#packages/platforms/sources/source.ts'

/** What a visitor may type as a source. */
export const sourceHint =
  'The address of a channel, a playlist or a profile, a handle such as @name, or words to search YouTube for.'

/** The source at a pasted address. Any other text becomes a search on YouTube. @throws ServiceError invalid_request */
export function sourceIn(text: string): Source {
  const tries = [
    { type: 'playlist', url: text },
    { type: 'channel', url: text },
    { type: 'channel', handle: text.startsWith('@') ? text : '' },
    ...profilePlatforms.map(({ name }) => ({ type: 'profile', platform: name, url: text })),
  ]
  for (const each of tries) {
    try {
      return parseSource(each)
    } catch (error) {
      // It is not a source of this kind.
      if (!(error instanceof ServiceError)) throw error
    }
  }
  return parseSource({ type: 'search', platform: 'youtube', q: text })
}
