import { expect, test } from 'vitest'
import { withPanelStore } from '#handlers/domain/recovery/with-panel-store.ts'

const NONE = { store: null, store_password_file: null, store_ca_file: null }
const URL_OF = 'postgres://berth@/berth?host=/run/postgresql'

test('the keys are written into [panel], and everything else stays', () => {
  const text = '# mine\n[panel] # 7070\nlisten = ["0.0.0.0:7070"] # here\n\n[server]\nstore = "x"\n'
  const written = withPanelStore(text, { ...NONE, store: URL_OF, store_ca_file: '/c"a.pem' })
  expect(written).toBe(
    `# mine\n[panel] # 7070\nstore = "${URL_OF}"\nstore_ca_file = "/c\\"a.pem"\nlisten = ["0.0.0.0:7070"] # here\n\n[server]\nstore = "x"\n`,
  )
  expect(withPanelStore(written, NONE)).toBe(text)
})

test('a file without the section gets one', () => {
  const written = withPanelStore('[server]\nworkers = 1\n', { ...NONE, store: URL_OF })
  expect(written).toContain(`[panel]\nstore = "${URL_OF}"\n`)
  expect(written).toContain('workers = 1')
})

test.each([
  'panel = { listen = ["0.0.0.0:7070"] }\n',
  'panel.listen = ["0.0.0.0:7070"]\n',
  '[panel]\nacme_email = """\nstore = 1\n"""\n',
])('what cannot be told from the rest is refused: %j', (text) => {
  expect(() => withPanelStore(text, { ...NONE, store: URL_OF })).toThrow('cannot be told')
})
