// Runs in the browser: a button beside each example that copies it.
for (const pre of document.querySelectorAll('article pre')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(pre.textContent)
    button.textContent = 'Copied'
  })
  const box = document.createElement('div')
  box.className = 'copy'
  pre.replaceWith(box)
  box.append(pre, button)
}
