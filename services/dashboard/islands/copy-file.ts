/** A button that copies the file that `data-file` names. */
export function copyFile(button: HTMLElement): void {
  if (typeof ClipboardItem === 'undefined') return
  button.hidden = false
  const label = button.textContent
  const say = (text: string): void => {
    button.textContent = text
    setTimeout(() => {
      button.textContent = label
    }, 2000)
  }
  button.addEventListener('click', async () => {
    // A promise, because some browsers allow copying only while the click is handled.
    const text = fetch(button.dataset.file ?? '').then((response) => {
      if (!response.ok) throw new Error(`answered ${response.status}`)
      return response.blob()
    })
    const plain = text.then(async (blob) => new Blob([await blob.text()], { type: 'text/plain' }))
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': plain })]).then(
      () => say('Copied'),
      () => say('Not copied'),
    )
  })
}
