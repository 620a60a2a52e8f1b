/** What the list may have on its way, percent-encoded: line breaks take some more, and the server takes 512 kB. */
const MOST_CHARACTERS = 400_000

/** A list of lines that is filled from a file, chosen or dropped on it. */
export function dropFile(box: HTMLElement): void {
  const list = box.querySelector('textarea')
  const chooser = box.querySelector<HTMLElement>('[data-file]')
  const input = chooser?.querySelector('input')
  const problem = chooser?.querySelector('.problem')
  if (!list || !chooser || !input || !problem) return
  chooser.hidden = false
  const fill = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return
    const isLong = file.size > MOST_CHARACTERS || encodeURIComponent(await file.text()).length > MOST_CHARACTERS
    problem.textContent = isLong ? `${file.name} is too long for a page: send it over the API.` : ''
    if (!isLong) list.value = await file.text()
  }
  input.addEventListener('change', () => fill(input.files?.[0]))
  list.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
  })
  list.addEventListener('drop', (event) => {
    const file = event.dataTransfer?.files[0]
    if (file === undefined) return
    event.preventDefault()
    void fill(file)
  })
}
