<?php
/**
 * Plugin Name: Berth staging copy
 * Description: Keeps this copy from search engines and from sending mail. It goes with the copy.
 * Staging copy of: {{of}}
 */

if (!defined('ABSPATH')) exit;

add_filter('pre_option_blog_public', static fn () => '0');
add_action('send_headers', static function (): void {
	if (!headers_sent()) header('X-Robots-Tag: noindex, nofollow');
});
// What there is to tell customers, the site itself tells them.
add_filter('pre_wp_mail', static function () {
	error_log('Berth: a mail was not sent, since this is a staging copy.');
	return true;
}, PHP_INT_MAX);
add_action('admin_bar_menu', static function ($bar): void {
	$bar->add_node(['id' => 'berth-staging', 'title' => 'Staging copy', 'parent' => 'top-secondary']);
}, 5);
