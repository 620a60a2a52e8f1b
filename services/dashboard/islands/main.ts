/** The scripts of the pages. Every page works without them. An element names its island in `data-island`. */
import { chart } from './chart.ts'
import { copy } from './copy.ts'
import { copyFile } from './copy-file.ts'
import { dropFile } from './drop-file.ts'
import { find } from './find.ts'
import { inPlace } from './in-place.ts'
import { job } from './job.tsx'
import { live } from './live.ts'
import type { Mount } from './replace.ts'
import { reveal } from './reveal.ts'
import { snippets } from './snippets.ts'
import { time, zone } from './time.ts'

/** `mount`: for islands that add elements to the page. */
type Island = (element: HTMLElement, mount: Mount) => void

const islands: Readonly<Record<string, Island>> = {
  chart,
  copy,
  copyFile,
  dropFile,
  find,
  inPlace,
  job,
  live,
  reveal,
  snippets,
  time,
  zone,
}

function mount(root: HTMLElement): void {
  for (const element of [root, ...root.querySelectorAll<HTMLElement>('[data-island]')])
    islands[element.dataset.island ?? '']?.(element, mount)
}

mount(document.body)
