"""Certificates and dossiers as pages; everything printed is in the JSON, nothing is computed here."""

from .dossier_page import render_dossier, render_dossier_index, write_dossier_pages
from .page import render_certificate, write_certificate_page
from .schema import certificate_schema, dossier_schema, proof_schema
