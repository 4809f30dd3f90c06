#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A small window from which a file can be dragged, as from a file manager.

usage: drag-source.py FILE
"""
import sys

import gi

gi.require_version('Gtk', '4.0')
from gi.repository import Gdk, Gio, GObject, Gtk  # noqa: E402


def activate(application):
    window = Gtk.ApplicationWindow(application=application, title='Files', default_width=120, default_height=120)
    source = Gtk.DragSource(actions=Gdk.DragAction.COPY)
    value = GObject.Value(Gio.File, Gio.File.new_for_path(sys.argv[1]))
    source.set_content(Gdk.ContentProvider.new_for_value(value))
    window.add_controller(source)
    window.present()


application = Gtk.Application(flags=Gio.ApplicationFlags.NON_UNIQUE)
application.connect('activate', activate)
application.run([])
