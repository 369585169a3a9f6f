import { describe, expect, it } from 'vitest'
import { callApi, createAccount, setUpByApi } from './support/log-in.ts'
import { page, panel, panelInBrowser, watched } from './support/panel-in-browser.ts'

const MARKUP = '<img src=x onerror="window.injected=1">.txt'
const REORDERED = 'photo\u202egpj.php'
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe('files', () => {
  panelInBrowser(() => setUpByApi(page))

  const row = (name: string) =>
    page
      .locator('tr[data-file]')
      .filter({ has: page.getByLabel(`Select ${name}`, { exact: true }) })
  const menu = async (name: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  const write = (path: string, content: string, more: object = {}) =>
    callApi(page, 'POST', '/api/files/write', { account_id: 1, path, content, ...more })
  const read = async (path: string) => {
    const { body } = await callApi(page, 'GET', `/api/files/read?account_id=1&path=${path}`)
    return (body as { data?: { content: string } }).data?.content
  }
  const code = () => page.getByTestId('code').locator('.cm-content')

  it('says that files belong to an account', async () => {
    await page.goto('/files')
    await page.getByText('Files belong to an account.').waitFor()
  })

  it('shows a home and leads into folders and back', async () => {
    await createAccount(page, 'mira')
    await page.goto('/files')
    for (const name of ['public_html', 'tmp', 'logs']) await row(name).waitFor()
    await page.getByRole('button', { name: 'public_html', exact: true }).click()
    await row('index.html').getByText('0644').waitFor()
    expect(page.url()).toContain('path=public_html')
    await watched.screenshot('files')
    await page.getByRole('navigation', { name: 'Folder' }).getByText('Home').click()
    await row('tmp').waitFor()
    await page.goBack()
    await row('index.html').waitFor()
  })

  it('shows hostile names as text, and what is unseen in them', async () => {
    await write(`tmp/${MARKUP}`, 'x')
    await write(`tmp/${REORDERED}`, '<?php')
    await page.goto('/files?account=1&path=tmp')
    await row(MARKUP).waitFor()
    await row('photo\\u{202e}gpj.php').waitFor()
    await watched.screenshot('files-hostile')
    await menu(MARKUP, 'Delete')
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`File ${MARKUP}`).waitFor()
    await dialog.getByLabel(`Type ${MARKUP} to confirm`).fill(MARKUP)
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await row(MARKUP).waitFor({ state: 'detached' })
    await menu('photo\\u{202e}gpj.php', 'Edit')
    await code().getByText('<?php').waitFor()
    expect(await page.evaluate(() => 'injected' in window)).toBe(false)
  })

  it('makes a folder, renames it and sets its permissions', async () => {
    await page.goto('/files')
    await page.getByRole('button', { name: 'New folder' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Create folder' }).click()
    await dialog.getByText('Fill in this field.').waitFor()
    await dialog.getByLabel('Name').fill('logs')
    await dialog.getByRole('button', { name: 'Create folder' }).click()
    await dialog.getByText('logs exists already.').waitFor()
    await dialog.getByLabel('Name').fill('shop')
    await dialog.getByRole('button', { name: 'Create folder' }).click()
    await row('shop').waitFor()
    await menu('shop', 'Rename or move')
    await dialog.getByLabel('New name or place').fill('store')
    await dialog.getByRole('button', { name: 'Move' }).click()
    await row('store').waitFor()
    await row('shop').waitFor({ state: 'detached' })
    await menu('store', 'Permissions')
    await dialog.getByLabel('Others: Read').uncheck()
    await dialog.getByLabel('Others: Execute').uncheck()
    expect(await dialog.getByLabel('Octal').inputValue()).toBe('750')
    await watched.screenshot('files-permissions')
    await dialog.getByRole('button', { name: 'Set permissions' }).click()
    await row('store').getByText('0750').waitFor()
  })

  it('uploads with progress, asks before it replaces, and can be ended', async () => {
    await page.goto('/files?account=1&path=public_html')
    const input = page.locator('input[type=file]')
    const buffer = Buffer.from('body{}')
    await input.setInputFiles({ name: 'main.css', mimeType: 'text/css', buffer })
    await page.locator('[data-upload="done"]').waitFor()
    await row('main.css').waitFor()
    await watched.screenshot('files-upload')
    await input.setInputFiles({
      name: 'main.css',
      mimeType: 'text/css',
      buffer: Buffer.from('a{}'),
    })
    const dialog = page.getByRole('dialog', { name: 'Replace a file?' })
    await dialog.getByText('main.css').waitFor()
    await dialog.getByRole('button', { name: 'Replace' }).click()
    await expect.poll(() => read('public_html/main.css')).toBe('a{}')

    const network = await page.context().newCDPSession(page)
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 50_000 }
    await network.send('Network.emulateNetworkConditions', slow)
    const large = { name: 'large.bin', mimeType: 'x/y', buffer: Buffer.alloc(4_000_000) }
    await input.setInputFiles(large)
    await page.getByRole('button', { name: 'Cancel the upload of large.bin' }).click()
    await page.locator('[data-upload="cancelled"]').waitFor()
    await network.detach()
    await page.reload()
    await row('main.css').waitFor()
    expect(await read('public_html/large.bin')).toBeUndefined()
  })

  it('takes dropped files', async () => {
    await page.goto('/files?account=1&path=public_html')
    const transfer = await page.evaluateHandle(() => {
      const data = new DataTransfer()
      data.items.add(new File(['dropped'], 'dropped.txt'))
      return data
    })
    const zone = page.getByRole('region', { name: 'Upload', exact: true })
    await zone.dispatchEvent('dragenter', { dataTransfer: transfer })
    await page.getByText('Drop to upload into public_html').waitFor()
    await watched.screenshot('files-drop')
    await zone.dispatchEvent('drop', { dataTransfer: transfer })
    await row('dropped.txt').waitFor()
    expect(await read('public_html/dropped.txt')).toBe('dropped')
  })

  it('says why an upload failed', async () => {
    await page.goto('/files?account=1&path=public_html')
    await panel.breakHost('files.beginUpload')
    const file = { name: 'late.txt', mimeType: 'text/plain', buffer: Buffer.from('x') }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.locator('[data-upload="failed"]').getByText('not reachable').waitFor()
    await panel.mend()
  })

  it('edits text, saves with the keyboard and warns before changes are lost', async () => {
    await write('public_html/app.php', '<?php\necho 1;\n')
    await page.goto('/files?account=1&path=public_html')
    await page.getByRole('button', { name: 'app.php', exact: true }).click()
    await code().click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('echo 2;')
    await page.getByText('Unsaved changes').waitFor()
    await watched.screenshot('files-editor')
    await page.emulateMedia({ colorScheme: 'dark' })
    await watched.screenshot('files-editor-dark')
    await page.emulateMedia({ colorScheme: null })
    await page.keyboard.press('Control+s')
    await page.getByText('app.php saved').waitFor()
    expect(await read('public_html/app.php')).toBe('<?php\necho 1;\necho 2;')
    await page.keyboard.type('!')
    await page.getByRole('button', { name: 'Cancel' }).click()
    const leave = page.getByRole('dialog', { name: 'Discard your changes?' })
    await leave.getByRole('button', { name: 'Keep editing' }).click()
    await code().getByText('echo 2;!').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await leave.getByRole('button', { name: 'Discard changes' }).click()
    await row('app.php').waitFor()
    expect(await read('public_html/app.php')).toBe('<?php\necho 1;\necho 2;')
  })

  it('does not overwrite what somebody else saved meanwhile without asking', async () => {
    await page.goto('/files?account=1&path=public_html&edit=app.php')
    await code().click()
    await page.keyboard.type('// mine ')
    await write('public_html/app.php', 'theirs')
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'The file has changed meanwhile' })
    await dialog.waitFor()
    expect(await read('public_html/app.php')).toBe('theirs')
    await watched.screenshot('files-changed')
    await dialog.getByRole('button', { name: 'Save anyway' }).click()
    await page.getByText('app.php saved').waitFor()
    expect(await read('public_html/app.php')).toContain('// mine')
  })

  it('keeps the line endings of a file', async () => {
    await write('public_html/dos.txt', 'one\r\ntwo\r\n')
    await page.goto('/files?account=1&path=public_html&edit=dos.txt')
    await code().click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('three')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('dos.txt saved').waitFor()
    expect(await read('public_html/dos.txt')).toBe('one\r\ntwo\r\nthree')
  })

  it('shows pictures; a script in one does not run', async () => {
    await write('tmp/dot.png', PIXEL, { encoding: 'base64' })
    const script = '<script>top.injected=1</script>'
    await write(
      'tmp/bad.svg',
      `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="top.injected=1">${script}</svg>`,
    )
    await page.goto('/files?account=1&path=tmp')
    for (const name of ['dot.png', 'bad.svg']) {
      await page.getByRole('button', { name, exact: true }).click()
      const picture = page.getByRole('img', { name: `Picture ${name}` })
      await expect
        .poll(() => picture.evaluate((it: HTMLImageElement) => it.naturalWidth))
        .toBeGreaterThan(0)
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
    }
    expect(await page.evaluate(() => 'injected' in window)).toBe(false)
  })

  it('packs several entries, extracts them and deletes them, as jobs', async () => {
    await page.goto('/files?account=1&path=public_html')
    await page.getByLabel('Select index.html').check()
    await page.getByLabel('Select main.css').check()
    await page.getByText('2 selected').waitFor()
    await page.getByRole('button', { name: 'Pack into an archive' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Archive', { exact: true }).fill('public_html/two.tar.gz')
    await dialog.getByRole('button', { name: 'Pack' }).click()
    await row('two.tar.gz').waitFor()
    await page.getByTestId('job-pill').click()
    await page.locator('[data-job="files.archive"]').getByText('Done').waitFor()
    await watched.screenshot('job-centre')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog.getByLabel('Type delete to confirm').fill('delete')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await row('index.html').waitFor({ state: 'detached' })
    await menu('two.tar.gz', 'Extract')
    await dialog.getByRole('button', { name: 'Extract' }).click()
    await row('index.html').waitFor()
    await row('main.css').waitFor()
  })

  it.each([360, 768])('fits a screen of %i pixels', async (width) => {
    await page.setViewportSize({ width, height: 800 })
    await write(`public_html/${'long-name-'.repeat(12)}.txt`, 'x')
    for (const [path, name] of [
      ['/files?account=1&path=public_html', 'folder'],
      ['/files?account=1&path=public_html&edit=app.php', 'editor'],
    ] as const) {
      await page.goto(path)
      const spare = () =>
        page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      await expect.poll(spare).toBeLessThanOrEqual(0)
      if (name === 'editor') await code().waitFor()
      await watched.screenshot(`files-${name}-${width}`)
    }
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  it('has broken no rule of the content policy and asked no other host', () => {
    expect(watched.complaints).toEqual([])
  })
})
