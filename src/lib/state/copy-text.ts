/**
 * Copies `text`; false when the browser refuses. On plain http at an address
 * there is no clipboard API, so a hidden field and the old command serve.
 */
export const copyText = async (text: string): Promise<boolean> => {
  if (navigator.clipboard && window.isSecureContext) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  }
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'fixed opacity-0'
  const active = document.activeElement
  const host = active?.closest('[role="dialog"]') ?? document.body
  host.append(field)
  field.select()
  const done = document.execCommand('copy')
  field.remove()
  if (active instanceof HTMLElement) active.focus()
  return done
}
