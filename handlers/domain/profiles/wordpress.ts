import type { Profile } from './profile.ts'

/** Actions of `admin-ajax.php` that change what visitors see; all others (heartbeat, carts, forms) do not. */
const AJAX_CHANGES = [
  // Core: lists of posts, comments and terms, menus, widgets, pictures, plugins and themes, the customizer.
  'inline-save',
  'inline-save-tax',
  'add-tag',
  'delete-tag',
  'add-meta',
  'delete-meta',
  'delete-post',
  'trash-post',
  'untrash-post',
  'delete-page',
  'delete-comment',
  'dim-comment',
  'edit-comment',
  'replyto-comment',
  'set-post-thumbnail',
  'set-attachment-thumbnail',
  'image-editor',
  'crop-image',
  'save-attachment',
  'save-attachment-compat',
  'save-attachment-order',
  'menu-locations-save',
  'save-widget',
  'widgets-order',
  'delete-inactive-widgets',
  'update-plugin',
  'delete-plugin',
  'update-theme',
  'delete-theme',
  'customize_save',
  // WooCommerce: products, variations, order in lists, settings.
  'woocommerce_feature_product',
  'woocommerce_add_variation',
  'woocommerce_save_variations',
  'woocommerce_remove_variations',
  'woocommerce_link_all_variations',
  'woocommerce_bulk_edit_variations',
  'woocommerce_save_attributes',
  'woocommerce_product_ordering',
  'woocommerce_term_ordering',
  'woocommerce_toggle_gateway_enabled',
  'woocommerce_*_save_changes',
  // Page builders.
  'elementor_ajax',
  'et_fb_ajax_save',
  'vc_save',
  'brizy_update_item',
]

/** Where it stands below the document root, each with a slash at its end; most often there itself. */
export const WORDPRESS_DIRECTORIES = ['', 'wp/', 'wordpress/', 'blog/']

/** Also installed in a directory of its own, so paths may have anything ahead. */
export const wordpress: Profile = {
  name: 'wordpress',
  // In a directory of its own the front controller may be in the document root.
  markers: WORDPRESS_DIRECTORIES.map((at) => [`${at}wp-login.php`, `${at}wp-includes/version.php`]),
  tellers: WORDPRESS_DIRECTORIES.map((at) => `${at}wp-content/mu-plugins/berth-cache.php`),
  sessionCookies: [
    'wordpress_logged_in_*',
    'wordpress_sec_*',
    'wordpress_*_auth',
    'wp-postpass_*',
    'comment_author_*',
    'wp_woocommerce_session_*',
    'woocommerce_items_in_cart',
    'woocommerce_cart_hash',
    'edd_items_in_cart',
    'edd_cart_token',
  ],
  privatePaths: [
    '*/wp-admin',
    '*/wp-admin/*',
    '*/wp-login.php',
    '*/wp-signup.php',
    '*/wp-activate.php',
    '*/wp-cron.php',
    '*/wp-comments-post.php',
    '*/wp-trackback.php',
    '*/xmlrpc.php',
    // WooCommerce and Easy Digital Downloads, by the names that they give their pages in a few languages.
    ...[
      'cart',
      'checkout',
      'my-account',
      'purchase-confirmation',
      'purchase-history',
      'warenkorb',
      'kasse',
      'mein-konto',
      'panier',
      'commande',
      'mon-compte',
      'carrito',
      'finalizar-compra',
      'mi-cuenta',
      'carrello',
      'winkelwagen',
      'afrekenen',
      'mijn-account',
      'koszyk',
      'moje-konto',
    ].flatMap((page) => [`/${page}`, `/${page}/*`]),
  ],
  login: ['*wp-login.php*'],
  requests: [
    // What is held for moderation is on no page yet (WordPress 5.1 says so in the address).
    {
      at: ['*/wp-comments-post.php'],
      to: ['*#comment-*'],
      notTo: ['*unapproved=*'],
      effect: 'now',
    },
    { at: ['*/wp-cron.php'], methods: ['GET', 'HEAD', 'POST'], effect: 'later' },
    {
      at: ['*/wp-admin/admin-ajax.php'],
      parameters: { action: AJAX_CHANGES },
      form: true,
      effect: 'now',
    },
    { at: ['*/wp-admin/admin-ajax.php', '*/wp-admin/async-upload.php'], effect: 'none' },
    // Forms of visitors go there as well; those of the administration lead back to it.
    { at: ['*/wp-admin/admin-post.php'], to: ['*/wp-admin/*'], effect: 'now' },
    // The others answer everybody.
    {
      at: [
        '*/wp-admin/admin-post.php',
        '*/wp-admin/install.php',
        '*/wp-admin/setup-config.php',
        '*/wp-admin/upgrade.php',
        '*/wp-admin/maint/*',
      ],
      effect: 'none',
    },
    { at: ['*/wp-admin/*'], own: true, effect: 'now' },
    // Trashing, approving, activating, and what is chosen for several posts, are links and GET forms.
    {
      at: ['*/wp-admin/*'],
      methods: ['GET'],
      parameters: { _wpnonce: [] },
      to: ['*'],
      effect: 'now',
    },
    // The REST API, by path and by parameter.
    {
      at: [
        '*/wp-json/wp/v2/*/autosaves',
        '*/wp-json/wp/v2/users/*',
        '*/wp-json/wp/v2/block-renderer/*',
      ],
      effect: 'none',
    },
    {
      at: ['*/wp-json/wp/v2/*', '*/wp-json/wc/v1/*', '*/wp-json/wc/v2/*', '*/wp-json/wc/v3/*'],
      own: true,
      effect: 'now',
    },
    { at: ['*/wp-json/batch/v1'], own: true, effect: 'now' },
    {
      at: ['*'],
      parameters: {
        rest_route: ['/wp/v2/*/autosaves', '/wp/v2/users/*', '/wp/v2/block-renderer/*'],
      },
      effect: 'none',
    },
    {
      at: ['*'],
      parameters: { rest_route: ['/wp/v2/*', '/batch/v1', '/wc/v1/*', '/wc/v2/*', '/wc/v3/*'] },
      own: true,
      effect: 'now',
    },
  ],
}
