import type { Profile } from './profile.ts'

/** The directory of the administration has a name of its own, which begins with `admin` unless it was changed. */
export const prestashop: Profile = {
  name: 'prestashop',
  markers: [
    ['classes/PrestaShopAutoload.php'],
    ['classes/Product.php', 'classes/Cart.php', 'config/defines.inc.php'],
  ],
  sessionCookies: ['PrestaShop-*'],
  privatePaths: [
    '/admin*',
    '*/cart',
    '*/order',
    '*/order-confirmation',
    '*/order-history',
    '*/my-account',
    '*/login',
    '*/registration',
    '*/identity',
    '*/address',
    '*/addresses',
    '*/password-recovery',
    '/api/*',
  ],
  login: ['*AdminLogin*', '*/login*'],
  requests: [
    { at: ['/admin*'], parameters: { controller: ['AdminLogin'] }, form: true, effect: 'none' },
    { at: ['/admin*'], parameters: { action: ['getNotifications'] }, form: true, effect: 'none' },
    { at: ['*/common/notifications', '*/login'], effect: 'none' },
    { at: ['/admin*'], own: true, effect: 'now' },
    { at: ['/api/*'], effect: 'now' },
  ],
}

/** The administration's addresses begin with `admin` unless that was changed, carry a key, and lead on after a change. */
export const magento: Profile = {
  name: 'magento',
  markers: [
    ['app/etc/di.xml', 'bin/magento'],
    ['../app/etc/di.xml', '../bin/magento'],
    ['get.php', 'static.php', 'errors/processor.php'],
    ['app/Mage.php'],
  ],
  sessionCookies: ['PHPSESSID', 'X-Magento-Vary', 'adminhtml', 'persistent_shopping_session'],
  privatePaths: [
    '/admin*',
    '*/key/*',
    '/checkout*',
    '/customer*',
    '*/checkout/*',
    '*/customer/*',
    '/sales/*',
    '/wishlist*',
    '/multishipping/*',
    '/paypal/*',
    '/rest/*',
  ],
  login: ['*/auth/login*'],
  requests: [
    { at: ['/admin*/key/*', '/index.php/admin*/key/*'], to: ['*/key/*'], effect: 'now' },
    {
      at: [
        '/rest/V1/products*',
        '/rest/V1/categories*',
        '/rest/V1/cmsPage*',
        '/rest/V1/cmsBlock*',
        '/rest/all/V1/*',
        '/rest/default/V1/products*',
        '/rest/default/V1/categories*',
        '/rest/default/V1/cmsPage*',
        '/rest/default/V1/cmsBlock*',
      ],
      effect: 'now',
    },
  ],
}

/** The administration's addresses carry a token (`user_token`; before version 3 `token`). */
export const opencart: Profile = {
  name: 'opencart',
  markers: [['system/startup.php', 'catalog/controller/common/home.php']],
  sessionCookies: ['OCSESSID'],
  privatePaths: [
    '/admin*',
    '/cart',
    '/cart/*',
    '/checkout*',
    '/account*',
    '/login',
    '/logout',
    '/wishlist',
  ],
  login: ['*common/login*'],
  requests: [
    {
      at: ['*'],
      parameters: {
        route: ['common/login*', 'common/forgotten*', 'common/logout*', '*dashboard*'],
      },
      effect: 'none',
    },
    { at: ['/admin*', '*/index.php'], parameters: { user_token: [] }, effect: 'now' },
    { at: ['/admin*', '*/index.php'], parameters: { token: [] }, effect: 'now' },
  ],
}
