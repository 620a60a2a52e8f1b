/** The button that copies the text beside it. */
export function copy(box: HTMLElement): void {
  const button = box.querySelector<HTMLButtonElement>('[data-copy]')
  if (button === null || navigator.clipboard === undefined) return
  button.hidden = false
  const label = button.textContent
  button.addEventListener('click', async () => {
    // Read at the click, because the text may have changed.
    await navigator.clipboard.writeText(box.querySelector('code')?.textContent ?? '')
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = label
    }, 2000)
  })
}
