/** Shows a bar's values beside it while the pointer is on it. The table below the chart has the same values. */
export function chart(figure: HTMLElement): void {
  const tip = document.createElement('div')
  tip.className = 'tip'
  tip.hidden = true
  tip.setAttribute('aria-hidden', 'true')
  figure.append(tip)
  const show = ({ target, clientX, clientY }: PointerEvent): void => {
    const picture = (target as Element).closest('svg')
    const text = picture?.dataset.tips === undefined ? undefined : tipAt(picture, clientX)
    tip.hidden = text === undefined
    if (text === undefined) return
    tip.textContent = text
    const { left, top, width } = figure.getBoundingClientRect()
    // On the side with more room.
    const isRight = clientX - left > width / 2
    tip.style.left = `${clientX - left + (isRight ? -12 - tip.offsetWidth : 12)}px`
    tip.style.top = `${clientY - top - tip.offsetHeight / 2}px`
  }
  figure.addEventListener('pointermove', show)
  figure.addEventListener('pointerdown', show)
  figure.addEventListener('pointerleave', () => {
    tip.hidden = true
  })
}

/** The text for the bar at this position; undefined outside the bars. */
function tipAt(picture: SVGSVGElement, clientX: number): string | undefined {
  const { tips = '', from, to } = picture.dataset
  const all = tips.split('\n\n')
  const { left, width } = picture.getBoundingClientRect()
  const place = ((clientX - left) / width - Number(from)) / (Number(to) - Number(from))
  return place < 0 ? undefined : all[Math.floor(place * all.length)]
}
