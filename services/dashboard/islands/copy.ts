/** The button that copies the text beside it. */
export function copy(box: HTMLElement): void {
  const button = box.querySelector<HTMLButtonElement>('[data-copy]')
  const text = box.querySelector('code')?.textContent ?? ''
  if (button === null || navigator.clipboard === undefined) return
  button.hidden = false
  const label = button.textContent
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = label
    }, 2000)
  })
}
