/** The scripts of the pages. Every page works without them; each part that lives names its island in `data-island`. */
import { chart } from './chart.ts'
import { copy } from './copy.ts'
import { snippets } from './snippets.ts'
import { time } from './time.ts'

type Island = (element: HTMLElement) => void

const islands: Readonly<Record<string, Island>> = { chart, copy, snippets, time }

for (const element of document.querySelectorAll<HTMLElement>('[data-island]'))
  islands[element.dataset.island ?? '']?.(element)
