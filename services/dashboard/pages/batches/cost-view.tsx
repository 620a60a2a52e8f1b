/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { costOf } from '#packages/jobs/batches/accept-batch.ts'
import type { AskedBatch } from '#packages/jobs/batches/batch-request.ts'
import { CreditsHint } from '../../look/credits-hint.tsx'
import { creditsWords, Facts, formatNumber, Notice } from '../../look/parts.tsx'
import { sourceName } from '../watches/words.ts'
import { videosWords } from './words.ts'

/** What a batch may cost. `available`: the organization's credits. */
export type Offer = { asked: AskedBatch; available: number }

type Parts = Offer & { base: string }

/** The cost of a batch before it begins, and the button that begins it. Part of the form. */
export function CostView({ asked, available, base }: Parts): VNode {
  const { limit, price, held } = costOf(asked)
  const isCovered = held <= available
  return (
    <section class="card" aria-labelledby="cost">
      <h2 id="cost">What it costs</h2>
      <Facts
        facts={{
          Videos: videosOf(asked),
          Each: `${creditsWords(price)} at most`,
          'Held at the start': <strong>{creditsWords(held)}</strong>,
          'You have': creditsWords(available),
          'Left for other jobs': isCovered && creditsWords(available - held),
        }}
      />
      {held < limit * price && (
        <p>{`The credits that you allow cover ${videosWords(Math.floor(held / price))} at that price. The rest run while credits last, and are not charged otherwise.`}</p>
      )}
      {isCovered ? (
        <>
          <p>Unused credits are refunded when the batch ends. Videos that fail cost nothing.</p>
          <button class="main" type="submit" name="act" value="begin">
            Start batch
          </button>
        </>
      ) : (
        <Short required={held} remaining={available} base={base} />
      )}
    </section>
  )
}

type ShortParts = { required: number; remaining: number } & Pick<Parts, 'base'>

const Short = ({ required, remaining, base }: ShortParts): VNode => (
  <Notice tone="bad">
    <p>
      <strong>{`It takes ${creditsWords(required)}, and ${formatNumber(remaining)} are left.`}</strong> Choose fewer
      videos, or a lower maximum of credits. <CreditsHint base={base} />
    </p>
  </Notice>
)

function videosOf({ videos, source, skippedLines, ...rest }: AskedBatch): string {
  const { items, limit } = costOf({ videos, source, ...rest })
  if (source !== null) return `${formatNumber(limit)} of ${sourceName(source.from)} at most`
  const again = videos.length - items.length
  return [
    videosWords(items.length),
    ...(again > 0 ? [`${formatNumber(again)} duplicates, processed and charged once`] : []),
    ...(skippedLines > 0
      ? [skippedLines === 1 ? '1 invalid line skipped' : `${formatNumber(skippedLines)} invalid lines skipped`]
      : []),
  ].join(', ')
}
