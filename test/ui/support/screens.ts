import type { Page } from 'playwright-core'

export interface Screen {
  /** For file names and messages. */
  name: string
  path: string
  /** Brings the page into the state that is meant, e.g. opens a drawer. */
  open?(page: Page): Promise<void>
}

const SETTINGS_TABS = ['tokens', 'users', 'audit']

/** Every page that the navigation leads to, and the tabs and places inside of them. */
export const pagesOf = async (page: Page): Promise<Screen[]> => {
  await page.goto('/')
  const paths = await page
    .locator('aside nav a')
    .evaluateAll((links) => links.map((link) => new URL((link as HTMLAnchorElement).href).pathname))
  return [
    ...paths.map((path) => ({ name: path === '/' ? 'dashboard' : path.slice(1), path })),
    ...SETTINGS_TABS.map((tab) => ({ name: `settings-${tab}`, path: `/settings?tab=${tab}` })),
    { name: 'editor', path: '/files?account=1&edit=notes.txt', open: untilEditable },
    { name: 'missing', path: '/no-such-page' },
  ]
}

const untilEditable = async (page: Page): Promise<void> => {
  await page.getByTestId('code').locator('.cm-content').waitFor()
}
const dialogOf = async (page: Page): Promise<void> => {
  await page.getByRole('dialog').first().waitFor()
}
/** Clicks the button of the page's head, or any other of this name. */
const button =
  (name: string | RegExp) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('button', { name, exact: true }).first().click()
    await dialogOf(page)
  }
const action =
  (row: string, item: string | RegExp) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: `Actions for ${row}`, exact: true }).click()
    await page.getByRole('menuitem', { name: item, exact: typeof item === 'string' }).click()
    await dialogOf(page)
  }
const firstAction =
  (item: string) =>
  async (page: Page): Promise<void> => {
    await page
      .getByRole('button', { name: /^Actions for/ })
      .first()
      .click()
    await page.getByRole('menuitem', { name: item, exact: true }).click()
    await dialogOf(page)
  }

/** Every drawer, modal, menu and popover, on the instance that `seed` has filled. */
export const DIALOGS: readonly Screen[] = [
  { name: 'account-create', path: '/accounts', open: button('New account') },
  { name: 'account-edit', path: '/accounts', open: action('lena', 'Edit') },
  { name: 'account-suspend', path: '/accounts', open: action('lena', 'Suspend') },
  { name: 'account-delete', path: '/accounts', open: action('lena', 'Delete') },
  { name: 'domain-create', path: '/domains', open: button('Add domain') },
  { name: 'domain-edit', path: '/domains', open: action('lena.example', 'Settings') },
  { name: 'domain-delete', path: '/domains', open: action('lena-photos.example', 'Delete') },
  { name: 'ssl-provision', path: '/ssl', open: button('Provision certificate') },
  { name: 'ssl-upload', path: '/ssl', open: button('Upload') },
  { name: 'ssl-details', path: '/ssl', open: action('lena.example', 'Details') },
  { name: 'ssl-remove', path: '/ssl', open: action('lena.example', 'Remove') },
  { name: 'file-new-folder', path: '/files?account=1', open: button('New folder') },
  { name: 'file-new-file', path: '/files?account=1', open: button('New file') },
  { name: 'file-rename', path: '/files?account=1', open: action('notes.txt', /^Rename/) },
  { name: 'file-permissions', path: '/files?account=1', open: action('notes.txt', 'Permissions') },
  { name: 'file-archive', path: '/files?account=1', open: action('notes.txt', /^Pack/) },
  { name: 'file-delete', path: '/files?account=1', open: action('notes.txt', 'Delete') },
  { name: 'database-create', path: '/databases?account=1', open: button('New database') },
  {
    name: 'database-connect',
    path: '/databases?account=1',
    open: action('lena_blog', 'Connection details'),
  },
  {
    name: 'database-password',
    path: '/databases?account=1',
    open: action('lena_blog', 'Change password'),
  },
  { name: 'database-delete', path: '/databases?account=1', open: action('lena_blog', 'Delete') },
  { name: 'backup-create', path: '/backups?account=1', open: button('Create backup') },
  { name: 'backup-cleanup', path: '/backups?account=1', open: button('Clean up') },
  { name: 'backup-restore', path: '/backups?account=1', open: firstAction('Restore') },
  { name: 'backup-delete', path: '/backups?account=1', open: firstAction('Delete') },
  { name: 'token-create', path: '/settings?tab=tokens', open: button('New token') },
  { name: 'token-revoke', path: '/settings?tab=tokens', open: firstAction('Revoke') },
  { name: 'user-create', path: '/settings?tab=users', open: button('New administrator') },
  { name: 'user-delete', path: '/settings?tab=users', open: action('second', 'Delete') },
  { name: 'factor-enrol', path: '/settings', open: button('Set up') },
  {
    name: 'unsaved-question',
    path: '/accounts?new=1',
    async open(page) {
      await page.getByRole('dialog').getByLabel('Username').fill('mira')
      await page.keyboard.press('Escape')
      await page.getByRole('alertdialog').waitFor()
    },
  },
  {
    name: 'form-errors',
    path: '/accounts?new=1',
    async open(page) {
      await page.getByRole('dialog').getByRole('button', { name: 'Create account' }).click()
      await page.locator('[aria-invalid="true"]').first().waitFor()
    },
  },
  {
    name: 'palette',
    path: '/',
    async open(page) {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('lena')
      await page.getByRole('option', { name: 'lena-photos.example' }).waitFor()
    },
  },
  {
    name: 'job-centre',
    path: '/',
    async open(page) {
      await page.getByTestId('job-pill').click()
      await page.locator('[data-job]').first().waitFor()
    },
  },
  { name: 'row-menu', path: '/accounts', open: menuOpened('Actions for lena') },
  { name: 'theme-menu', path: '/', open: menuOpened('Theme') },
  { name: 'language-menu', path: '/', open: menuOpened('Language') },
]

function menuOpened(name: string) {
  return async (page: Page): Promise<void> => {
    await page.getByRole('button', { name, exact: true }).click()
    await page.getByRole('menuitem').first().waitFor()
  }
}

/** Goes to a screen and waits until nothing moves and nothing loads. */
export const visit = async (page: Page, screen: Screen): Promise<void> => {
  await page.goto(screen.path)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await screen.open?.(page)
  await page.evaluate(async () => {
    await document.fonts.ready
    const moving = document
      .getAnimations()
      .filter((one) => one.effect?.getComputedTiming().iterations !== Infinity)
    await Promise.all(moving.map((one) => one.finished.catch(() => undefined)))
  })
}
