import type { Every } from '#packages/jobs/watches/every.ts'
import type { ListedWatch } from '#packages/jobs/watches/own-watch.ts'
import type { Source } from '#packages/platforms/sources/source.ts'

export const everyWords: Readonly<Record<Every, string>> = {
  '15m': 'Every 15 minutes',
  '30m': 'Every 30 minutes',
  '1h': 'Every hour',
  '2h': 'Every 2 hours',
  '3h': 'Every 3 hours',
  '6h': 'Every 6 hours',
  '12h': 'Every 12 hours',
  '1d': 'Every day',
}

const pauseWords: Readonly<Record<NonNullable<ListedWatch['reason']>, string>> = {
  asked: 'Paused by a member.',
  credits: 'Not enough credits.',
  cap: 'The monthly credit limit of the watch or its key is reached.',
  source: 'The source does not exist or was unreachable for a week.',
  key: 'The API key that created it was revoked or has expired.',
  unseen: 'Paused after 90 days without activity.',
}

export const pauseReasonOf = ({ reason }: Pick<ListedWatch, 'reason'>): string =>
  reason === null ? '' : pauseWords[reason]

/** The name of a source in lists. */
export function sourceName(source: Source): string {
  switch (source.type) {
    case 'channel':
      return `${new URL(source.url).pathname.slice(1)} (${source.list})`
    case 'playlist':
      return `Playlist ${new URL(source.url).searchParams.get('list')}`
    case 'profile':
      return `@${source.username} on ${source.platform}`
    case 'search':
      return `“${source.q}”${source.platform === null ? '' : ` on ${source.platform}`}`
  }
}

export const thenWords = ({ then }: Pick<ListedWatch, 'then'>): string =>
  then === null ? 'Notify only' : then.operation === 'transcript' ? 'Transcript' : 'Extraction'
