/** The scripts of the pages. Every page works without them; each part that lives names its island in `data-island`. */
import { copy } from './copy.ts'
import { time } from './time.ts'

type Island = (element: HTMLElement) => void

const islands: Readonly<Record<string, Island>> = { copy, time }

for (const element of document.querySelectorAll<HTMLElement>('[data-island]'))
  islands[element.dataset.island ?? '']?.(element)
