/** Says beside a bar what it stands for, while the pointer is on it. The table below says the same to everybody. */
export function chart(figure: HTMLElement): void {
  const tip = document.createElement('div')
  tip.className = 'tip'
  tip.hidden = true
  tip.setAttribute('aria-hidden', 'true')
  figure.append(tip)
  figure.addEventListener('pointermove', ({ target, clientX, clientY }) => {
    const text = target instanceof SVGElement ? target.dataset.tip : undefined
    tip.hidden = text === undefined
    if (text === undefined) return
    tip.textContent = text
    const { left, top, width } = figure.getBoundingClientRect()
    // On the side that has room.
    const isRight = clientX - left > width / 2
    tip.style.left = `${clientX - left + (isRight ? -12 - tip.offsetWidth : 12)}px`
    tip.style.top = `${clientY - top - tip.offsetHeight / 2}px`
  })
  figure.addEventListener('pointerleave', () => {
    tip.hidden = true
  })
}
