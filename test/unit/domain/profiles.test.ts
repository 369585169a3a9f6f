import { describe, expect, it } from 'vitest'
import { hasBypassCookie } from '#edge-cache/index.ts'
import { APPLICATIONS, type ApplicationName } from '#handlers/domain/profiles/applications.ts'
import {
  changesPublicPages,
  effectOf,
  isPrivatePath,
  wantsForm,
} from '#handlers/domain/profiles/judge-request.ts'
import { isSessionCookie } from '#handlers/domain/profiles/is-session-cookie.ts'
import { matches } from '#handlers/domain/profiles/patterns.ts'
import type { Effect } from '#handlers/domain/profiles/profile.ts'
import { profileOf, PROFILES, recognise } from '#handlers/domain/profiles/profiles.ts'

/** `METHOD target[ | form] -> status [Location]`; a `!` behind the status: the answer is for one only. */
const judge = (name: ApplicationName, line: string): string => {
  const [asked = '', answered = ''] = line.split(' -> ')
  const [head = '', form = null] = asked.split(' | ')
  const [method = '', target = ''] = head.split(' ')
  const [path = '', query = null] = target.split('?', 2)
  const [status = '', location = null] = answered.split(' ')
  const cacheControl = status.endsWith('!') ? 'no-cache, must-revalidate, max-age=0' : null
  const answer = { status: Number.parseInt(status), location, cacheControl }
  const request = { method, path, query, form, ...answer }
  const effect = effectOf(PROFILES[name], request)
  expect(changesPublicPages(PROFILES[name], request)).toBe(effect !== 'none')
  return effect
}

const EDIT = '/wp-admin/post.php?post=1&action=edit&message=1'
const LOGIN = 'http://a.test/wp-login.php?redirect_to=x&reauth=1'

const EFFECTS: Record<ApplicationName, Partial<Record<'now' | 'later' | 'none', string[]>>> = {
  wordpress: {
    now: [
      `POST /wp-admin/post.php -> 302 ${EDIT}`,
      `POST /blog//wp-admin//post.php -> 302 ${EDIT}`,
      'POST /wp-admin/options-permalink.php -> 200!',
      'POST /wp-admin/nav-menus.php -> 302 nav-menus.php?menu=1',
      'GET /wp-admin/post.php?post=1&action=trash&_wpnonce=ab -> 302 /wp-admin/edit.php?trashed=1',
      'GET /wp-admin/edit.php?action=trash&post%5B%5D=1&_wpnonce=ab -> 302 /wp-admin/edit.php',
      'GET /wp-admin/plugins.php?action=activate&_wpnonce=ab -> 302 plugins.php?activate=true',
      'GET /wp-admin/comment.php?action=approvecomment&c=1&_wpnonce=ab -> 302 edit-comments.php',
      'POST /wp-comments-post.php -> 302 http://a.test/post/#comment-7',
      'POST /wp-json/wp/v2/posts/1 -> 200!',
      'PUT /wp-json/wp/v2/pages/1 -> 200!',
      'DELETE /wp-json/wp/v2/posts/1 -> 200!',
      'POST /wp-json/wp/v2/comments -> 201!',
      'POST /wp-json/wp/v2/global-styles/1 -> 200!',
      'POST /wp-json/batch/v1 -> 207!',
      'POST /?rest_route=/wp/v2/posts/1&_locale=user -> 200!',
      'POST /index.php?rest_route=%2Fwp%2Fv2%2Fposts -> 201!',
      'PUT /wp-json/wc/v3/products/1 -> 200!',
      'POST /wp-admin/admin-ajax.php | action=inline-save&post_ID=1 -> 200',
      'POST /wp-admin/admin-ajax.php | post_ID=1&action=customize_save -> 200',
      'POST /wp-admin/admin-ajax.php?action=elementor_ajax -> 200',
      'POST /wp-admin/admin-ajax.php | action=woocommerce_tax_rates_save_changes -> 200',
      'POST /wp-admin/admin-post.php -> 302 /wp-admin/options-general.php?page=x',
    ],
    later: ['POST /wp-cron.php?doing_wp_cron=1700000000.1 -> 200', 'GET /wp-cron.php -> 200'],
    none: [
      'POST /wp-admin/admin-ajax.php | action=heartbeat&interval=60 -> 200',
      'POST /wp-admin/admin-ajax.php?action=heartbeat -> 200',
      // The form is what PHP takes.
      'POST /wp-admin/admin-ajax.php?action=inline-save | action=heartbeat -> 200',
      'POST /wp-admin/admin-ajax.php | action=inline-save -> 400',
      'POST /wp-admin/admin-ajax.php | action=add_to_cart -> 200',
      'POST /wp-admin/admin-ajax.php -> 200',
      'POST /?wc-ajax=add_to_cart -> 200',
      'POST /cart/ -> 302 /cart/',
      'POST /checkout/ -> 302 /checkout/order-received/1/',
      'POST /wp-json/wc/store/v1/cart/add-item -> 201',
      'POST /wp-json/wc/store/v1/batch -> 207',
      'POST /wp-json/contact-form-7/v1/contact-forms/1/feedback -> 200',
      'POST /wp-json/wp/v2/posts/1/autosaves -> 200',
      'POST /?rest_route=/wp/v2/posts/1/autosaves -> 200',
      'POST /wp-json/wp/v2/users/me -> 200',
      'POST /wp-json/wp/v2/posts/1 -> 401',
      `POST /wp-admin/post.php -> 302 ${LOGIN}`,
      `GET /wp-admin/post.php?action=trash&_wpnonce=x -> 302 ${LOGIN}`,
      'GET /wp-admin/post.php?post=1&action=edit -> 200',
      'GET /wp-admin/edit.php?_wpnonce=x -> 200',
      'POST /wp-login.php -> 302 /wp-admin/',
      'POST /wp-comments-post.php -> 302 /post/?unapproved=7&moderation-hash=x#comment-7',
      'POST /wp-comments-post.php -> 409',
      'POST /wp-admin/async-upload.php -> 200',
      'POST /wp-admin/admin-post.php -> 302 /thanks/',
      'POST /xmlrpc.php -> 200',
      // The front page, which answers what there is not.
      'POST /none/wp-admin/post.php -> 200',
      'POST /wp-json/wp/v2/posts/1 -> 200',
      'POST /wp-admin/install.php -> 200!',
      'POST /wp-comments-post.php -> 302 /',
      'POST /contact/ -> 200',
      'GET / -> 200',
    ],
  },
  joomla: {
    now: [
      'POST /administrator/index.php?option=com_content&layout=edit&id=1 -> 303 /administrator/index.php?option=com_content&view=articles',
      'PATCH /api/index.php/v1/content/articles/1 -> 200',
    ],
    none: [
      'POST /administrator/index.php -> 303 /administrator/index.php',
      'POST /administrator/index.php?option=com_content -> 200',
      'POST /administrator/index.php -> 303 index.php?option=com_login',
      'POST /component/users/?task=user.login -> 303 /',
      'PATCH /api/index.php/v1/content/articles/1 -> 403',
    ],
  },
  drupal: {
    now: [
      'POST /node/add/article -> 303 /node/1',
      'POST /de/node/1/edit -> 303 /de/node/1',
      'POST /node/1/delete -> 303 /',
      'POST /comment/reply/node/1/comment -> 303 /node/1#comment-1',
      'POST /admin/structure/menu/manage/main -> 303 /admin/structure/menu',
      'PATCH /jsonapi/node/article/1 -> 200',
    ],
    none: [
      'POST /user/login -> 303 /user/1',
      'POST /node/1/edit -> 200',
      'POST /node/1/edit -> 403',
      'POST /node/1/edit -> 302 /user/login?destination=/node/1/edit',
      'POST /cart -> 303 /cart',
      'POST /contact -> 303 /',
      'POST /node/5 -> 303 /node/5/done',
    ],
  },
  typo3: {
    now: [
      'POST /typo3/record/edit?token=ab&edit%5Bpages%5D%5B1%5D=edit -> 303 /typo3/record/edit?token=ab',
      'POST /typo3/ajax/record/process?token=ab -> 200',
      'GET /typo3/record/commit?token=ab&cmd%5Btt_content%5D=delete -> 303 /typo3/module/web/layout',
    ],
    none: [
      'POST /typo3/ajax/login/timedout?token=ab -> 200',
      'POST /typo3/login -> 303 /typo3/main?token=ab',
      'POST /typo3/record/edit?token=x -> 303 /typo3/login?redirect=record_edit',
      'POST /typo3/record/edit -> 200',
      'POST /contact -> 200',
    ],
  },
  prestashop: {
    now: [
      'POST /admin123ab/index.php/sell/catalog/products-v2/1/edit?_token=x -> 302 /admin123ab/',
      'PUT /api/products/1 -> 200',
    ],
    none: [
      'POST /admin123ab/index.php | ajax=1&controller=AdminLogin -> 200',
      'POST /admin123ab/index.php?controller=AdminLogin -> 302 /admin123ab/',
      'POST /admin123ab/index.php/common/notifications?_token=x -> 200',
      'POST /admin123ab/index.php -> 302 /admin123ab/index.php?controller=AdminLogin',
      'POST /cart -> 200',
      'POST /en/order -> 302 /en/order-confirmation',
    ],
  },
  magento: {
    now: [
      'POST /admin_x/catalog/product/save/id/1/key/ab/ -> 302 /admin_x/catalog/product/edit/id/1/key/cd/',
      'PUT /rest/V1/products/A1 -> 200',
      'POST /rest/default/V1/cmsPage -> 200',
    ],
    none: [
      'POST /admin_x/mui/index/render/key/ab/ -> 200',
      'POST /admin_x/admin/index/index/key/ab/ -> 302 /admin_x/admin/auth/login/',
      'POST /checkout/cart/add/ -> 302 /checkout/cart/',
      'POST /checkout/cart/add/key/1/ -> 302 /x/key/y/',
      'POST /rest/V1/guest-carts/x/items -> 200',
      'PUT /rest/V1/products/A1 -> 401',
      'POST /customer/account/loginPost/ -> 302 /customer/account/',
    ],
  },
  opencart: {
    now: [
      'POST /admin/index.php?route=catalog/product/edit&user_token=ab&product_id=1 -> 302 /admin/index.php?route=catalog/product',
      'POST /admin/index.php?route=catalog/product%7Csave&user_token=ab -> 200',
    ],
    none: [
      'POST /admin/index.php?route=common/login -> 302 /admin/index.php?route=common/dashboard',
      'POST /admin/index.php?route=catalog/product&user_token=x -> 302 /admin/index.php?route=common/login',
      'POST /index.php?route=checkout/cart/add -> 200',
    ],
  },
  mediawiki: {
    now: [
      'POST /index.php?title=Main_Page&action=submit -> 302 /wiki/Main_Page',
      'POST /w/index.php?title=X&action=delete -> 302 /wiki/X',
      'POST /api.php | action=edit&title=X&text=y -> 200',
      'POST /w/api.php?action=visualeditoredit -> 200',
      'PUT /rest.php/v1/page/X -> 200',
      'POST /wiki/Special:MovePage/X -> 200',
      'POST /index.php | title=Special%3AUpload -> 302 /wiki/File:X',
    ],
    none: [
      'POST /index.php?title=Main_Page&action=submit -> 200',
      'POST /index.php?title=Special:UserLogin -> 302 /wiki/Main_Page',
      'POST /api.php | action=query&prop=info -> 200',
      'POST /api.php -> 200',
      'PUT /rest.php/v1/page/X -> 403',
    ],
  },
  dokuwiki: {
    now: [
      'POST /doku.php?id=start | do%5Bsave%5D=Save&wikitext=x -> 302 /doku.php?id=start',
      'POST /start | sectok=1&do%5Bsave%5D=1 -> 303 /start',
      'POST /doku.php?do=admin&page=config -> 302 /doku.php?do=admin&page=config',
      'POST /lib/exe/mediamanager.php -> 200',
      'POST /lib/exe/jsonrpc.php/core.savePage -> 200',
    ],
    none: [
      'POST /doku.php?id=start | do%5Bpreview%5D=1&wikitext=x -> 200',
      'POST /doku.php?id=start | do=login&u=a -> 302 /doku.php?id=start',
      'POST /doku.php?id=start -> 302 /doku.php?id=start',
      'POST /lib/exe/ajax.php | call=draftsave -> 200',
      'POST /lib/exe/jsonrpc.php/core.getPage -> 200',
      'POST /doku.php?do=admin -> 200',
    ],
  },
  phpbb: {
    now: [
      'POST /posting.php?mode=reply&t=1 -> 302 /viewtopic.php?p=2',
      'POST /adm/index.php?i=acp_forums&sid=ab -> 302 /adm/index.php',
    ],
    none: [
      'POST /posting.php?mode=reply&t=1 -> 200',
      'POST /ucp.php?mode=login -> 302 /index.php',
      'POST /posting.php -> 302 /ucp.php?mode=login',
    ],
  },
  nextcloud: { none: ['PUT /remote.php/dav/files/a/x -> 201', 'POST /login -> 303 /'] },
  roundcube: { none: ['POST /?_task=mail&_action=send -> 200'] },
  phpmyadmin: { none: ['POST /index.php?route=/sql -> 200'] },
  laravel: {
    now: ['POST /admin/posts -> 302 /admin/posts', 'PUT /nova-api/posts/1 -> 200'],
    none: [
      'POST /admin/login -> 302 /admin',
      'POST /admin/posts -> 302 http://a.test/login',
      'POST /admin/posts -> 302 http://a.test/',
      'POST /login -> 302 /home',
      'POST /posts -> 302 /posts/1',
      'POST /admin/posts -> 419',
    ],
  },
  symfony: {
    now: ['POST /admin/article/new -> 303 /admin/article'],
    none: ['POST /admin/article/new -> 302 /login', 'POST /contact -> 303 /thanks'],
  },
  cakephp: {
    now: ['POST /admin/articles/edit/1 -> 302 /admin/articles'],
    none: ['POST /users/login -> 302 /', 'POST /admin/articles -> 302 /users/login?redirect=x'],
  },
}

const rows = APPLICATIONS.flatMap((name) =>
  Object.entries(EFFECTS[name]).flatMap(([effect, lines]) =>
    lines.map((line): [string, string, string] => [name, line, effect]),
  ),
)

/** A path whose answers are never shared, and one whose are. */
const PATHS: Record<ApplicationName, [hidden: string[], shown: string[]]> = {
  wordpress: [
    ['/wp-admin/', '/blog/wp-admin/x.php', '/wp-login.php', '//wp-login.php', '/cart', '/kasse/x'],
    ['/', '/2026/01/post/', '/shop/', '/cartoons/', '/wp-content/uploads/a.html'],
  ],
  joomla: [
    ['/administrator/', '/component/users/login'],
    ['/', '/blog/article'],
  ],
  drupal: [
    ['/user/1', '/de/user/login', '/node/1/edit', '/admin/content'],
    ['/', '/node/1'],
  ],
  typo3: [
    ['/typo3/', '/typo3/module/web/layout'],
    ['/', '/products'],
  ],
  prestashop: [
    ['/admin123ab/', '/en/cart', '/my-account'],
    ['/', '/2-home', '/en/category'],
  ],
  magento: [
    ['/admin_x/', '/checkout/cart/', '/de/customer/account/'],
    ['/', '/shirts.html'],
  ],
  opencart: [
    ['/admin/', '/checkout', '/account/login'],
    ['/', '/desktops/mac'],
  ],
  mediawiki: [['/wiki/Special:RecentChanges', '/w/api.php'], ['/wiki/Main_Page']],
  dokuwiki: [
    ['/lib/exe/js.php', '/wiki/install.php'],
    ['/start', '/doku.php'],
  ],
  phpbb: [
    ['/ucp.php', '/adm/index.php', '/forum/posting.php'],
    ['/viewtopic.php', '/'],
  ],
  nextcloud: [['/', '/index.php/login'], []],
  roundcube: [['/'], []],
  phpmyadmin: [['/', '/index.php'], []],
  laravel: [
    ['/login', '/admin/users', '/livewire/update'],
    ['/', '/posts/1'],
  ],
  symfony: [
    ['/login', '/_profiler/x', '/admin'],
    ['/', '/blog/1'],
  ],
  cakephp: [
    ['/users/login', '/cart'],
    ['/', '/articles'],
  ],
}

describe('profiles of applications', () => {
  it.each(rows)('%s: %s is %s', (name, line, effect) => {
    expect(judge(name as ApplicationName, line)).toBe(effect)
  })

  it.each(APPLICATIONS)('%s: private paths', (name) => {
    const [hidden, shown] = PATHS[name]
    for (const path of hidden) expect(isPrivatePath(PROFILES[name], path), path).toBe(true)
    for (const path of shown) expect(isPrivatePath(PROFILES[name], path), path).toBe(false)
  })

  it.each(APPLICATIONS)(
    '%s: its sessions are known, and its own files recognise it',
    async (name) => {
      const profile = PROFILES[name]
      expect(profileOf(name)).toBe(profile)
      for (const cookie of profile.sessionCookies.map((one) => one.replaceAll('*', '0123'))) {
        expect(hasBypassCookie(`${cookie}=1`, null), cookie).toBe(true)
        expect(isSessionCookie(profile, cookie.toLowerCase()), cookie).toBe(true)
      }
      for (const other of ['theme', 'theme_sess', 'lang', '0123456789abcdef'])
        expect(isSessionCookie(profile, other), other).toBe(false)
      for (const files of profile.markers) {
        const found = await recognise(async (path) => files.includes(path))
        expect(found?.name, files.join()).toBe(name)
      }
    },
  )

  it.each([
    ['wordpress', 'wordpress_logged_in_5f4dcc3b5aa765d61d8327deb882cf99'],
    ['joomla', '5f4dcc3b5aa765d61d8327deb882cf99'],
    ['drupal', 'SSESS5f4dcc3b5aa765d61d8327deb882cf99'],
    ['mediawiki', 'company_wikiUserID'],
  ] as const)('%s knows its visitors by %s', (name, cookie) => {
    expect(isSessionCookie(PROFILES[name], cookie)).toBe(true)
  })

  it('WordPress with our plugin tells of its scheduled tasks itself', async () => {
    const task = { method: 'GET', path: '/wp-cron.php', query: null, status: 200 }
    const save = { method: 'POST', path: '/wp-admin/post.php', query: null, status: 302 }
    const effects = async (plugin: boolean): Promise<Effect[]> => {
      const found = await recognise(async (path) =>
        path.endsWith('berth-cache.php')
          ? plugin && path.startsWith('wp/wp-content/mu-plugins/')
          : path.startsWith('wp/'),
      )
      expect(found?.name).toBe('wordpress')
      return [task, save].map((request) => effectOf(found!, { ...request, location: '/a' }))
    }
    expect(await effects(false)).toEqual(['later', 'now'])
    expect(await effects(true)).toEqual(['none', 'now'])
  })

  it('nothing is recognised where nothing is, and each file is looked at once', async () => {
    const asked: string[] = []
    const found = await recognise(async (path) => {
      asked.push(path)
      return path === 'api.php'
    })
    expect(found).toBeNull()
    expect(new Set(asked).size).toBe(asked.length)
    for (const path of asked) expect(path).toMatch(/^(?:\.\.\/)?[A-Za-z0-9][\w./-]*$/)
    await expect(recognise(() => Promise.reject(new Error('busy')))).rejects.toThrow('busy')
    expect(profileOf('none')).toBeNull()
  })

  it('says where the form decides', () => {
    const { wordpress, drupal } = PROFILES
    expect(wantsForm(wordpress, 'POST', '/wp-admin/admin-ajax.php')).toBe(true)
    expect(wantsForm(wordpress, 'GET', '/wp-admin/admin-ajax.php')).toBe(false)
    expect(wantsForm(wordpress, 'POST', '/wp-admin/post.php')).toBe(false)
    expect(wantsForm(drupal, 'POST', '/node/1/edit')).toBe(false)
  })

  it.each([
    ['*', '', true],
    ['*', 'x', true],
    ['a*b', 'ab', true],
    ['a*b', 'a', false],
    ['aba*ba', 'aba', false],
    ['*a*', 'xay', true],
    ['*/a/*/b', '/x/a/y/b', true],
    ['*/a/*/b', '/x/a/b', false],
    ['a*b*c*d', 'a1b2c3d', true],
    ['a*b*c*d', 'a1c2b3d', false],
    ['a', 'ab', false],
  ])('the pattern %s and %s: %s', (pattern, text, expected) => {
    expect(matches([pattern])(text)).toBe(expected)
  })
})
